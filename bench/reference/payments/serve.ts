// Runs the reference service as a separate process, with the settings of the service's process.
import { createProvider, providerSettings } from '../provider.ts';
import { createRowPool } from '../query.ts';
import { createReferenceServer } from './server.ts';

const env = (name: string): string => process.env[name] ?? '';

const server = createReferenceServer({
  db: createRowPool(env('DATABASE_URL')),
  provider: createProvider(providerSettings(process.env)),
  callbackUrl: `${env('PUBLIC_BASE_URL')}/webhooks/provider/${env('WEBHOOK_SECRET')}`,
  webhookSecret: env('WEBHOOK_SECRET'),
  sessionSecret: env('SESSION_SECRET'),
});
server.listen(Number(env('PORT')), env('LISTEN_HOST'), () => process.send?.('ready'));
// `disconnect`: the parent process has ended and cannot stop this process any more.
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
  process.once(signal, () => process.exit(0));
