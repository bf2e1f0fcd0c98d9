// The unchanged service with every check. Only its clock is stopped, so that balances stay fresh and quotes valid.
import { readConfig } from '../../src/start/config.ts';
import { createLog } from '../../src/start/log.ts';
import { startService } from '../../src/start/start-service.ts';
import { serveMeasured } from '../serve-measured.ts';

const now = new Date(Number(process.env['STANDING_AT']));
// The worker would make calls to the provider and run effects. This process only answers requests.
const config = { ...readConfig(process.env), port: 0, role: 'api' as const };
const { url } = await startService(config, { log: createLog('info'), clock: { now: () => now } });
serveMeasured(url ?? '');
