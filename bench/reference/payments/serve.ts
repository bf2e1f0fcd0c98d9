// The reference service as a process of its own, with the settings that the service's process has.
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
// A parent process that is gone cannot stop us any more.
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
  process.once(signal, () => process.exit(0));
