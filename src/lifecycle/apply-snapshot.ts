// Applies what the provider says of one object to the row that it belongs to, under the locks of both: in the order of its
// snapshots, through the row's machine, and never by force. What does not agree is recorded.
import { dropBalance } from '../balance/drop.ts';
import type { Db } from '../database/orm.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import type { Difference } from './as-ordered.ts';
import { discrepancyOf, recordDiscrepancy } from './discrepancies.ts';
import type { Facts } from './facts.ts';
import { changesHomeBalance, debitedAt } from './home-balance.ts';
import type { Cause } from './lifecycle.ts';
import { appliedColumns, orderOf } from './ordering.ts';
import { isSettledBy, keepPolling, nextPollAt, stopPolling } from './polling.ts';
import { lockResource, type Resource } from './resource.ts';
import { isResolved, steppedBack } from './snapshot-discrepancies.ts';
import { type LockedSubject, subjectOf } from './subjects.ts';
import { resolveVanished } from './vanished.ts';

/**
 * `unmatched`: no row of ours ordered it. `stale`: it comes from before what was applied. `refused`: it does not agree with
 * what we know, and is recorded.
 */
export type Observation = 'applied' | 'nothing_new' | 'stale' | 'refused' | 'unmatched';

/** A snapshot and what is known of its resource before any lock is taken. */
export type Seen = {
  known: Resource;
  snapshot: Snapshot;
  facts: Facts;
  /** In what it is not what was ordered. */
  differs: Difference[];
  cause: Cause;
  now: Date;
};

export async function applySnapshot(tx: Db, seen: Seen): Promise<Observation> {
  const { known, snapshot, differs, cause, now } = seen;
  const [subject, resource] = await Promise.all([
    subjectOf(tx, known, snapshot, differs),
    lockResource(tx, known.handle),
  ]);
  if (!subject) return 'unmatched';
  await resolveVanished(tx, resource, now);
  switch (orderOf(resource, snapshot)) {
    case 'older':
      return 'stale';
    case 'same':
      if (isSettledBy(resource, snapshot)) await stopPolling(tx, resource);
      return 'nothing_new';
    case 'stepped_back':
      await recordDiscrepancy(tx, known, steppedBack(snapshot, subject.state), cause, now);
      await keepPolling(tx, resource, now);
      return 'refused';
    case 'newer':
    case 'differs':
      return tell(tx, seen, subject, resource);
  }
}

/** Tells the row's machine, and writes what comes of it. */
async function tell(
  tx: Db,
  { snapshot, facts, cause, now }: Seen,
  subject: LockedSubject,
  resource: Resource,
): Promise<Observation> {
  const event = eventOf(snapshot);
  const taken = event === null ? 'nothing' : await subject.advance(event, cause, now);
  const refused = typeof taken === 'object' ? taken : null;
  const discrepancy = refused?.news ? discrepancyOf({ ...refused, news: refused.news }, snapshot) : null;
  if (discrepancy) await recordDiscrepancy(tx, resource, discrepancy, cause, now);
  // A final state that was not applied is polled on, until a person has resolved what it contradicts.
  const isOver = refused
    ? discrepancy !== null && (await isResolved(tx, resource, discrepancy))
    : isSettledBy(resource, snapshot);
  await Promise.all([
    // What comes with a refused event is not taken for a fact either.
    !refused && subject.record(facts.subject),
    changesHomeBalance(resource, snapshot) && dropBalance(tx, resource.user_id),
    tx
      .updateTable('provider_resources')
      .set({
        ...debitedAt(resource),
        provider_ref: snapshot.providerRef,
        check_at: isOver ? null : nextPollAt(resource, now),
        // Nor was it applied: should the row come to allow it, it must not be taken for an old one.
        ...(!refused && appliedColumns(snapshot)),
        ...facts.resource,
      })
      .where('handle', '=', resource.handle)
      .execute(),
  ]);
  if (refused) return 'refused';
  return taken === 'accepted' ? 'applied' : 'nothing_new';
}
