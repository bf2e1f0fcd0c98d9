// Completes an effect: in one commit with what the provider answered, where that is applied to something.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';
import type { EffectRow } from '../entities/rows.ts';
import { assertHeld } from '../outbox/leases.ts';
import type { Found, Snapshot } from '../provider/port.ts';
import { applyReported, applyToOrdered } from '../snapshots/apply-reported.ts';
import type { Ordered } from '../snapshots/resource.ts';
import { causeOf, type KnownOutcome } from './effect.ts';
import { logEnd } from './log.ts';

/** @throws LeaseLost when another run has the effect, or an operator completed it: what the caller decided is taken back. */
export async function completeEffect(
  db: Db,
  effect: EffectRow,
  status: 'done' | 'superseded',
  now: Date,
): Promise<void> {
  const { id, user_id, lease_token } = effect;
  const attempts = effect.attempts + 1;
  const completed = await endQueued(db, { id, user_id, lease_token, status, attempts, now });
  assertHeld('effect', id, completed);
}

type End = Pick<EffectRow, 'id' | 'user_id' | 'lease_token' | 'status' | 'attempts'> & { now: Date };

const endQueued = columnStatement((db, { id, user_id, lease_token, status, attempts, now }: End) =>
  db
    .updateTable('effects')
    .set({ status, attempts, due_at: null, leased_by: null, held_refusal: null, finished_at: now })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('status', '=', 'queued')
    .where('lease_token', '=', lease_token),
);

/** Applies what the provider answered, and completes the effect in the same commit. */
export async function completeWith(
  app: App,
  effect: EffectRow,
  snapshot: Found<Snapshot>,
): Promise<KnownOutcome> {
  const complete = (tx: Db) => completeEffect(tx, effect, 'done', app.clock.now());
  const ordered = orderedBy(effect, snapshot);
  const result = await (ordered === null
    ? applyReported(app, snapshot, causeOf(effect), complete)
    : applyToOrdered(app, ordered, { snapshot, others: [] }, causeOf(effect), complete));
  if (result === 'unmatched') return { kind: 'done' };
  logEnd(app, effect, { end: 'done', snapshot });
  return { kind: 'applied' };
}

/** The effect itself says what it ordered under its handle. Null where the provider has several objects under it. */
function orderedBy(
  { user_id: userId, subject_kind: subjectKind, subject_id: subjectId, params }: EffectRow,
  { kind, handle, others = [] }: Found<Snapshot>,
): Ordered | null {
  if (kind !== 'transfer' && kind !== 'payout') return null;
  if (others.length > 0 || subjectKind === 'bank_details') return null;
  const { leg = null } = params as { leg?: ConversionLeg };
  return { handle: handle.toLowerCase(), userId, kind, subjectKind, subjectId, leg };
}
