// Exports the age of unfinished rows by lifecycle and state. A payment that does not move shows here
// even if no other alarm detects it.
import type { Registry } from 'prom-client';
import type { Age } from '../lifecycle/ages.ts';
import { addGauge } from './gauges.ts';

const labelNames = ['lifecycle', 'state'];

export function addAgeGauges(registry: Registry, ages: Age[], now: Date): void {
  const byState = [...Map.groupBy(ages, ({ lifecycle, state }) => `${lifecycle} ${state}`).values()].map(
    (groups) => ({ labels: labelsOf(groups), groups }),
  );
  addGauge(
    registry,
    {
      name: 'ponte_oldest_unfinished_age_seconds',
      help: 'For how long the oldest unfinished row has been in its state; 0 where there is none.',
      labelNames,
    },
    byState.map(({ labels, groups }) => ({
      labels,
      value: Math.max(...groups.map(({ oldestSince }) => secondsSince(oldestSince, now))),
    })),
  );
  addGauge(
    registry,
    {
      name: 'ponte_unfinished_past_limit',
      help: 'Rows that have been in their state for longer than its limit.',
      labelNames,
    },
    byState.map(({ labels, groups }) => ({
      labels,
      value: groups.reduce((sum, { pastLimit }) => sum + pastLimit, 0),
    })),
  );
}

const labelsOf = ([first]: Age[]) => ({ lifecycle: first?.lifecycle ?? '', state: first?.state ?? '' });

/** Returns the seconds since a time, at least 0: the clocks of two processes differ a little. */
const secondsSince = (at: Date | null, now: Date): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
