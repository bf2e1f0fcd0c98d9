// The service, with a different sealer for each group of users.
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/logging/log.ts';
import { startService } from '../../src/start/start-service.ts';
import { serveMeasured } from '../serve-measured.ts';
import { sealerOfAll, type Variant } from './variants.ts';

// Balances stay fresh: reading them from the provider would cost a hundred times what is measured here.
const now = new Date(Number(process.env['STANDING_AT']));
const clock = { now: () => now };
const variantOf = new Map(JSON.parse(process.env['VARIANTS'] ?? '') as [string, Variant][]);

const config = { ...readConfig(process.env), port: 0, role: 'api' as const };
const { app, url } = await startService(config, { log: createLog('warn'), clock });
app.sealer = sealerOfAll(app, variantOf);
serveMeasured(url ?? '');
