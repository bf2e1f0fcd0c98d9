// The service as it is, with every check; only its clock is stopped, so that balances stay fresh and quotes valid.
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { startService } from '../../src/start/start-service.ts';
import { serveMeasured } from '../serve-measured.ts';

const now = new Date(Number(process.env['STANDING_AT']));
// Calls to the provider and effects are the worker's; here only requests are answered.
const config = { ...readConfig(process.env), port: 0, role: 'api' as const };
const { url } = await startService(config, { log: createLog('info'), clock: { now: () => now } });
serveMeasured(url ?? '');
