// Completes an effect. If the provider's answer is applied to a row, both happen in one commit.
import type { ConversionLeg } from '../../machines/effects.ts';
import { assertLeased } from '../outbox/leases.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { endEffect } from '../platform/sql/effects.ts';
import type { LookupResult, Snapshot } from '../provider/port.ts';
import { applyReported, applyToOrdered } from '../reports/apply-reported.ts';
import type { ResourceIdentity } from '../reports/subject.ts';
import { causeOf, type EffectServices, type KnownOutcome } from './effect.ts';
import { logEnd } from './log.ts';

/**
 * Marks an effect as completed.
 * @throws LeaseLost if another run has the effect or an operator completed it: the caller's transaction is rolled back.
 */
export async function completeEffect(
  db: Db,
  effect: Entity<'Effect'>,
  status: 'done' | 'superseded',
  finishedAt: Date,
): Promise<void> {
  const { id, userId, leaseToken } = effect;
  const attempts = effect.attempts + 1;
  assertLeased('effect', id, await endEffect(db, { id, userId, leaseToken, status, attempts, finishedAt }));
}

/** Applies the provider's answer and completes the effect in the same commit. */
export async function completeWith(
  services: EffectServices,
  effect: Entity<'Effect'>,
  snapshot: LookupResult<Snapshot>,
): Promise<KnownOutcome> {
  const complete = (tx: Db) => completeEffect(tx, effect, 'done', services.clock.now());
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
