// Runs the nightly job that removes old payloads of callbacks now.
import type { CommandCall } from '../command.ts';
import { runNightlyJob } from './run-nightly-job.ts';

export const run = (call: CommandCall): Promise<void> =>
  runNightlyJob(call, { job: 'purge-payloads', command: 'payloads purge' });
