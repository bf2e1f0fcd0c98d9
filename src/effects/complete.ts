// Completes an effect and logs its end. If the provider's answer is applied to a row, both happen in one commit.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { Log } from '../domain/log.ts';
import { assertLeased, LeaseLost } from '../outbox/leases.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import type { LookupResult, Snapshot } from '../provider/port.ts';
import { applyReported, applyToOrdered } from '../reports/apply-reported.ts';
import type { ResourceIdentity } from '../reports/subject.ts';
import { endEffect, lockQueuedEffect } from '../tables/effects/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { causeOf, type EffectServices, type KnownOutcome } from './effect.ts';

/**
 * Reads an effect again and locks it for the rest of the transaction, for a decision that only the owner of its lease may write.
 * Another run may have left a request unanswered since this run started.
 * @returns the effect, with the current time by the database's clock (`lockedAt`).
 * @throws LeaseLost if another run has the effect, or an operator completed it.
 */
export async function lockEffect(
  tx: Db,
  { id, userId, leaseToken }: Entity<'Effect'>,
): Promise<Entity<'Effect'> & { lockedAt: DatabaseTime }> {
  const [effect, lockedAt] = await Promise.all([
    lockQueuedEffect(tx, { id, userId, leaseToken }),
    DatabaseTime.read(tx),
  ]);
  if (!effect) throw new LeaseLost('effect', id);
  return { ...effect, lockedAt };
}

/**
 * Marks an effect as completed.
 * @throws LeaseLost if another run has the effect or an operator completed it: the caller's transaction is rolled back.
 */
export async function completeEffect(
  db: Db,
  effect: Entity<'Effect'>,
  status: 'done' | 'superseded',
): Promise<void> {
  const { id, userId, leaseToken } = effect;
  const attempts = effect.attempts + 1;
  assertLeased('effect', id, await endEffect(db, { id, userId, leaseToken, status, attempts }));
}

/** Applies the provider's answer and completes the effect in the same commit. */
export async function completeWith(
  services: EffectServices,
  effect: Entity<'Effect'>,
  snapshot: LookupResult<Snapshot>,
): Promise<KnownOutcome> {
  const complete = (tx: Db) => completeEffect(tx, effect, 'done');
  const ordered = orderedBy(effect, snapshot);
  const result = await (ordered === null
    ? applyReported(services, snapshot, causeOf(effect), complete)
    : applyToOrdered(services, ordered, { snapshot, others: [] }, causeOf(effect), complete));
  if (result === 'unmatched') return { kind: 'done' };
  logEnd(services.log, effect, { end: 'done', snapshot });
  return { kind: 'applied' };
}

/** The identity of the transfer or payout that the effect creates. Null if the provider has several objects under the handle. */
function orderedBy(
  { userId, subjectKind, subjectId, params }: Entity<'Effect'>,
  { kind, handle, others = [] }: LookupResult<Snapshot>,
): ResourceIdentity | null {
  if (kind !== 'transfer' && kind !== 'payout') return null;
  if (others.length > 0 || subjectKind === 'bank_details') return null;
  const { leg = null } = params as { leg?: ConversionLeg };
  return { handle: handle.toLowerCase(), userId, kind, subjectKind, subjectId, leg };
}

type End =
  | { end: 'done' | 'superseded' }
  | { end: 'done'; snapshot: Pick<Snapshot, 'handle' | 'providerRef'> }
  | { end: 'refused'; why: string };

const sentences = {
  done: 'the effect was executed',
  superseded: 'the effect was superseded: its subject has a newer transition',
  refused: 'the provider refused the effect',
} as const satisfies Record<End['end'], string>;

/**
 * Logs the end of an effect. Call it only after the commit. The line has the effect's ids, so that a payment can be traced from its
 * request through its effects to the callbacks about them.
 */
export function logEnd(log: Log, effect: Entity<'Effect'>, ended: End): void {
  const { id: effectId, type, subjectKind, subjectId } = effect;
  const { handle, providerRef } = 'snapshot' in ended ? ended.snapshot : {};
  log.info(
    {
      code: `effect.${ended.end}`,
      effectId,
      effect: type,
      subjectKind,
      subjectId,
      ...(handle !== undefined && { handle, providerRef }),
      ...('why' in ended && { why: ended.why }),
    },
    sentences[ended.end],
  );
}
