// Completes an effect with a refusal. The refusal is final only when no earlier request of the effect can still be in flight,
// which is decided under the row's lock. Until then it is stored with the effect as a pending refusal.

import type { AnyStateMachine, EventFromLogic } from 'xstate';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { invalidateBalance } from '../ledger/invalidate.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import type { Lifecycle, LifecycleRow } from '../lifecycle/lifecycle.ts';
import { StillInFlight } from '../outbox/backoff.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import { assertLeased } from '../outbox/leases.ts';
import { setPendingRefusal } from '../tables/effects/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { lockUserRow } from '../tables/users/statements.ts';
import { completeEffect, lockEffect, logEnd } from './complete.ts';
import { causeOf, type KnownOutcome } from './effect.ts';
import type { InFlightUntil } from './in-flight.ts';
import { assertNoTwin } from './look-up.ts';

export type DefinitiveRefusal = {
  /** The reason in a few words. Operators see it while the refusal is pending. */
  why: string;
  /** A time just before the last look-up by the handle, which found nothing, by the database's clock. Null without a look-up. */
  lookedUpAt: Date | null;
  inFlightUntil: InFlightUntil;
};

/**
 * Applies `event` and completes the effect in the same commit. If the subject has a newer transition than the one that emitted the
 * effect, only completes the effect.
 * @throws StillInFlight while the refusal is pending; OutcomeUnknown while an operator has to choose between twins; LeaseLost if
 *   another run has the effect.
 */
export async function failDefinitively<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  { db, outbox, clock, log }: Committing & { clock: Clock; log: Log },
  lifecycle: Lifecycle<Machine, Row>,
  effect: Entity<'Effect'>,
  event: EventFromLogic<Machine>,
  { why, lookedUpAt, inFlightUntil }: DefinitiveRefusal,
): Promise<KnownOutcome> {
  const pendingMs = await transaction({ db, outbox }, async (tx) => {
    const now = clock.now();
    const { subjectId: id, userId } = effect;
    const [, row] = await Promise.all([lockUserRow(tx, { userId }), lockRow(tx, lifecycle, { id, userId })]);
    const isLatest = row !== null && row.seq === effect.seq;
    if (isLatest) await assertNoTwin(tx, effect);
    const locked = isLatest ? await lockEffect(tx, effect) : null;
    const until = locked && (await inFlightUntil(tx, locked));
    if (until && (lookedUpAt === null || lookedUpAt < until)) {
      await storePendingRefusal(tx, effect, why);
      return locked.lockedAt.msUntil(until);
    }
    await Promise.all([
      isLatest && advance(tx, lifecycle, row, event, causeOf(effect), now),
      isLatest && invalidateBalance(tx, row.userId),
      completeEffect(tx, effect, 'done'),
    ]);
    return null;
  });
  if (pendingMs !== null) throw new StillInFlight(effect.type, `refused (${why})`, pendingMs);
  logEnd(log, effect, { end: 'refused', why });
  return { kind: 'refused' };
}

/**
 * Stores a pending refusal with the effect. While it is pending, runs only look up the handle and send nothing new.
 * @throws LeaseLost if another run has the effect.
 */
export async function storePendingRefusal(
  tx: Db,
  { id, userId, leaseToken }: Entity<'Effect'>,
  why: string,
): Promise<void> {
  assertLeased('effect', id, await setPendingRefusal(tx, { id, userId, leaseToken, refusal: why }));
}
