// Enqueues an effect in the database transaction of the transition that emits it: inserts the effect, and the resource that it creates.
import type { Effect } from '../../machines/effects.ts';
import { newId } from '../domain/ids.ts';
import type { PlainEffectType } from '../tables/effects/entity.ts';
import { insertEffect } from '../tables/effects/statements.ts';
import { insertResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { ExpectedResource, SubjectKind } from '../tables/subject.ts';
import type { EnqueuingTx } from './hand-off.ts';

/** Effects that no machine emits. They fetch something and change no lifecycle. */
export type PlainEffect = { type: PlainEffectType };

export type NewEffect = {
  subject: { kind: SubjectKind | 'bank_details'; id: string; userId: string; seq: number };
  effect: Effect | PlainEffect;
  resource: ExpectedResource | null;
  /** Until when the effect runs before other work, by the database's clock. Null or absent: it is not urgent. */
  urgentUntil?: Date | null;
  now: Date;
};

export async function enqueueEffect(
  tx: EnqueuingTx,
  { subject, effect, resource, urgentUntil = null, now }: NewEffect,
): Promise<void> {
  const { traceparent } = tx.handOff;
  const row: Entity<'Effect'> = {
    id: newId(),
    userId: subject.userId,
    subjectKind: subject.kind,
    subjectId: subject.id,
    seq: subject.seq,
    type: effect.type,
    params: 'params' in effect ? effect.params : {},
    status: 'queued',
    attempts: 0,
    lastError: null,
    dueAt: now,
    leasedBy: null,
    leaseToken: 0,
    lastUnknownAt: null,
    heldRefusal: null,
    pausedMs: 0,
    urgentUntil,
    traceparent,
    createdAt: now,
    finishedAt: null,
  };
  const lease = tx.handOff.lease({
    kind: 'effect',
    id: row.id,
    userId: row.userId,
    type: row.type,
    isUrgent: urgentUntil !== null && urgentUntil > now,
    committed: { effect: row },
  });
  if (lease) Object.assign(row, { leasedBy: lease.owner, leaseToken: lease.token });
  await Promise.all([
    resource &&
      subject.kind !== 'bank_details' &&
      insertResource(tx, {
        handle: resource.handle,
        kind: resource.kind,
        leg: resource.leg,
        userId: subject.userId,
        subjectKind: subject.kind,
        subjectId: subject.id,
        // The reports on money belong to the trace of the payment or withdrawal. An owner or an account is reported on for years, so
        // each of these reports begins a trace.
        traceparent: resource.kind === 'transfer' || resource.kind === 'payout' ? traceparent : null,
        createdAt: now,
      }),
    insertEffect(tx, { ...row, params: JSON.stringify(row.params) }),
  ]);
}
