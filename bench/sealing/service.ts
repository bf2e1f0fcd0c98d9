// The service, with a different sealer for each group of users.
import { systemClock } from '../../src/domain/clock.ts';
import { readConfig } from '../../src/start/config.ts';
import { createLog } from '../../src/start/log.ts';
import { startService } from '../../src/start/start-service.ts';
import { serveMeasured } from '../serve-measured.ts';
import { sealerOfAll, type Variant } from './variants.ts';

const variantOf = new Map(JSON.parse(process.env['VARIANTS'] ?? '') as [string, Variant][]);

const config = { ...readConfig(process.env), port: 0, role: 'api' as const };
const { app, url } = await startService(config, { log: createLog('warn'), clock: systemClock });
app.sealer = sealerOfAll(app, variantOf);
serveMeasured(url ?? '');
