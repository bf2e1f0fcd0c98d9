// Exports the nightly jobs as metrics. A night that failed or did not end shows as the age of the last success.
import type { Registry } from 'prom-client';
import type { JobOutcome } from '../jobs/outcomes.ts';
import { addGauge } from './gauges.ts';

export function addNightlyGauges(registry: Registry, outcomes: JobOutcome[]): void {
  addGauge(
    registry,
    {
      name: 'ponte_nightly_last_success_timestamp_seconds',
      help: 'When the job last ended with nothing left unchecked, in seconds since 1970; 0 before the first time.',
      labelNames: ['job'],
    },
    outcomes.map(({ job, lastSuccessAt }) => ({
      labels: { job },
      value: (lastSuccessAt?.getTime() ?? 0) / 1_000,
    })),
  );
  addGauge(
    registry,
    {
      name: 'ponte_nightly_unchecked',
      help: 'Items that the last run of the job to end left unchecked.',
      labelNames: ['job'],
    },
    outcomes.map(({ job, unchecked }) => ({ labels: { job }, value: unchecked })),
  );
}
