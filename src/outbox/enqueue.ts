// Enqueues an effect inside the transaction that decided it: its row, which is its work, and the resource it will create.
import { sql } from 'kysely';
import type { Effect } from '../../machines/effects.ts';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';
import { newId } from '../domain/ids.ts';
import type { PlainEffectType } from '../entities/effect.ts';
import type { EffectRow, ProviderResourceRow } from '../entities/rows.ts';
import type { OrderedResource, SubjectKind } from '../entities/subject.ts';
import { handOffOf } from './transaction.ts';

/** Effects that no machine orders: they fetch something and change no lifecycle. */
export type PlainEffect = { type: PlainEffectType };

export type NewEffect = {
  subject: { kind: SubjectKind | 'bank_details'; id: string; userId: string; seq: number };
  effect: Effect | PlainEffect;
  resource: OrderedResource | null;
  /** Until when it goes before other work, by the database's clock; null, or without it: it has time. */
  urgentUntil?: Date | null;
  now: Date;
};

export async function enqueueEffect(
  tx: Db,
  { subject, effect, resource, urgentUntil = null, now }: NewEffect,
): Promise<void> {
  const row = { ...newRow(subject, effect, now), urgent_until: urgentUntil };
  const lease = handOffOf(tx)?.lease({
    kind: 'effect',
    id: row.id,
    userId: row.user_id,
    type: row.type,
    isUrgent: urgentUntil !== null && urgentUntil > now,
    committed: { effect: row },
  });
  if (lease) Object.assign(row, { leased_by: lease.owner, lease_token: lease.token });
  const named =
    resource && subject.kind !== 'bank_details' && nameResource(tx, subject, subject.kind, resource, now);
  const { params, due_at: _dueAt, created_at: _createdAt, ...columns } = row;
  await Promise.all([named, insertEffect(tx, { columns, params: JSON.stringify(params) })]);
}

type Columns = Omit<EffectRow, 'params' | 'due_at' | 'created_at'>;
type NewEffectRow = { columns: Columns; params: string };

const insertEffect = columnStatement((db, { columns, params }: NewEffectRow) =>
  db.insertInto('effects').values({
    ...columns,
    params: sql`${params}::jsonb`,
    // Both by the database's clock: other processes judge by them whether it is due, and whether it is out of time.
    due_at: sql`now()`,
    created_at: sql`now()`,
  }),
);

const newRow = (
  subject: NewEffect['subject'],
  effect: Effect | PlainEffect,
  now: Date,
): Omit<EffectRow, 'urgent_until'> => ({
  id: newId(),
  user_id: subject.userId,
  subject_kind: subject.kind,
  subject_id: subject.id,
  seq: subject.seq,
  type: effect.type,
  params: 'params' in effect ? effect.params : {},
  status: 'queued',
  attempts: 0,
  last_error: null,
  due_at: now,
  leased_by: null,
  lease_token: 0,
  last_unknown_at: null,
  held_refusal: null,
  paused_ms: 0,
  created_at: now,
  finished_at: null,
});

// Repeated effects (a retried payout) find their resource named already.
async function nameResource(
  tx: Db,
  subject: NewEffect['subject'],
  subjectKind: SubjectKind,
  resource: OrderedResource,
  now: Date,
): Promise<void> {
  await insertResource(tx, {
    handle: resource.handle,
    kind: resource.kind,
    leg: resource.leg,
    user_id: subject.userId,
    subject_kind: subjectKind,
    subject_id: subject.id,
    created_at: now,
  });
}

type NewResource = Pick<
  ProviderResourceRow,
  'handle' | 'kind' | 'leg' | 'user_id' | 'subject_kind' | 'subject_id' | 'created_at'
>;

const insertResource = columnStatement((db, resource: NewResource) =>
  db
    .insertInto('provider_resources')
    .values(resource)
    .onConflict((conflict) => conflict.columns(['handle', 'user_id']).doNothing()),
);
