// How old unfinished rows have become, by lifecycle and state: a payment that waits for ever shows here, also when no other
// alarm knows why it waits.
import type { Age } from '../queries/ages.ts';
import { type Family, gauge } from './registry.ts';

export function ageFamilies(ages: Age[], now: Date): Family[] {
  const byState = [...Map.groupBy(ages, ({ lifecycle, state }) => `${lifecycle} ${state}`).values()].map(
    (groups) => ({ labels: labelsOf(groups), groups }),
  );
  return [
    gauge(
      'ponte_oldest_unfinished_age_seconds',
      'For how long the oldest unfinished row has been in its state; 0 where there is none.',
      byState.map(({ labels, groups }) => ({
        labels,
        value: Math.max(...groups.map(({ oldestSince }) => secondsSince(oldestSince, now))),
      })),
    ),
    gauge(
      'ponte_unfinished_past_limit',
      'Rows that have been in their state for longer than its limit.',
      byState.map(({ labels, groups }) => ({
        labels,
        value: groups.reduce((sum, { pastLimit }) => sum + pastLimit, 0),
      })),
    ),
  ];
}

const labelsOf = ([first]: Age[]) => ({ lifecycle: first?.lifecycle ?? '', state: first?.state ?? '' });

/** Clocks of several processes differ a little. */
const secondsSince = (at: Date | null, now: Date): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
