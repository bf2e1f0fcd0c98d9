// Shown states never go back. If an app requested the second of two answers after the first arrived, the second shows the same
// status, or one that the steps of rules/steps.ts reach from it.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { mayFollow } from '../rules/steps.ts';
import type { Sighting } from '../shown.ts';

export function shownNeverGoesBack({ ours, seen }: Books, check: Check): void {
  const deposits = new Set(ours.transactions.filter(({ type }) => type === 'deposit').map(({ id }) => id));
  for (const sightings of Map.groupBy(seen.shown.sightings, ({ thing, id }) => `${thing} ${id}`).values()) {
    const byAnswer = sightings.toSorted((one, other) => one.answeredAt - other.answeredAt);
    for (const later of sightings) {
      const earlier = lastBefore(byAnswer, later);
      const { thing, id, status } = later;
      if (deposits.has(id)) check(id, status === 'completed', `a deposit was shown ${status}`);
      else if (earlier)
        check(id, mayFollow(thing, earlier.status, status), `shown ${status} after ${earlier.status}`);
    }
  }
}

/**
 * The last answer that arrived before this one was requested. Overlapping answers may have been read in either order, so they prove
 * nothing.
 */
const lastBefore = (byAnswer: Sighting[], later: Sighting): Sighting | undefined =>
  byAnswer.findLast((one) => one !== later && one.answeredAt <= later.sentAt);
