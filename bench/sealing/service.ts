// One process with a service for each variant, so that all of them run in the same memory, on the same compiled code. It
// answers every message with the processor time that it has used so far, in microseconds.
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { startService } from '../../src/service.ts';
import { sealerOf, type Variant, variants } from './variants.ts';

/** One database for those who seal, and one for the one that does not. */
const databaseOf = (variant: Variant): string =>
  process.env[variant === 'off' ? 'PLAIN_DATABASE_URL' : 'DATABASE_URL'] ?? '';

// Balances stay fresh: asking the provider would cost a hundred times what is measured here.
const now = new Date(Number(process.env['STANDING_AT']));
const clock = { now: () => now };

const urls: Partial<Record<Variant, string | null>> = {};
for (const variant of variants) {
  const config = {
    ...readConfig(process.env),
    databaseUrl: databaseOf(variant),
    port: 0,
    role: 'api' as const,
  };
  const { app, url } = await startService(config, { log: createLog('warn'), clock });
  app.sealer = sealerOf[variant](app);
  urls[variant] = url;
}
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
process.send?.(urls);
