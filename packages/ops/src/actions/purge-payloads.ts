// Runs the nightly job that removes old payloads of callbacks now.
import type { CommandSpec } from '../command.ts';
import { runNightlyJob, runOptions } from '../run-nightly-job.ts';

export const payloadsPurgeCommand: CommandSpec = {
  name: 'payloads purge',
  summary: 'remove the payloads of callbacks that are 90 days old, as every night',
  options: runOptions,
  run: (call) => runNightlyJob(call, { job: 'purge-payloads', command: 'payloads purge' }),
};
