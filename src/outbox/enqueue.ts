// Enqueues an effect inside the transaction that decided it: its row, the resource it will create, and its job.
import { sql } from 'kysely';
import type { Effect } from '../../machines/effects.ts';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import type { PlainEffectType } from '../entities/effect.ts';
import type { OrderedResource, SubjectKind } from '../entities/subject.ts';

/** Effects that no machine orders: they fetch something and change no lifecycle. */
export type PlainEffect = { type: PlainEffectType };

export type NewEffect = {
  subject: { kind: SubjectKind | 'bank_details'; id: string; userId: string; seq: number };
  effect: Effect | PlainEffect;
  resource: OrderedResource | null;
  now: Date;
};

export async function enqueueEffect(tx: Db, { subject, effect, resource, now }: NewEffect): Promise<void> {
  const id = newId();
  const named =
    resource && subject.kind !== 'bank_details' && nameResource(tx, subject, subject.kind, resource, now);
  const recorded = tx
    .insertInto('effects')
    .values({
      id,
      user_id: subject.userId,
      subject_kind: subject.kind,
      subject_id: subject.id,
      seq: subject.seq,
      type: effect.type,
      params: sql`${JSON.stringify('params' in effect ? effect.params : {})}::jsonb`,
      created_at: now,
    })
    .execute();
  await Promise.all([named, recorded, scheduleEffect(tx, { id, type: effect.type, isNew: true })]);
}

/**
 * Puts an effect's job into the queue, to run after `delayMs` by the database's own clock, or immediately. Under its key
 * there is one job at a time, and its flag is its type, so that operators can pause a whole kind.
 * @param isNew whether no job can be under its key yet, which is put in for a quarter of the cost.
 */
export async function scheduleEffect(
  tx: Db,
  { id, type, delayMs = 0, isNew = false }: { id: string; type: string; delayMs?: number; isNew?: boolean },
): Promise<void> {
  await sql`select graphile_worker.add_job(
    'runEffect',
    payload := ${JSON.stringify({ effectId: id })}::json,
    run_at := now() + make_interval(secs => ${delayMs / 1_000}),
    job_key := ${`effect:${id}`},
    flags := array[${type}]::text[],
    job_key_mode := ${isNew ? 'unsafe_dedupe' : 'replace'}
  )`.execute(tx);
}

// Repeated effects (a retried payout) find their resource named already.
async function nameResource(
  tx: Db,
  subject: NewEffect['subject'],
  subjectKind: SubjectKind,
  resource: OrderedResource,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('provider_resources')
    .values({
      handle: resource.handle,
      kind: resource.kind,
      leg: resource.leg,
      user_id: subject.userId,
      subject_kind: subjectKind,
      subject_id: subject.id,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('handle').doNothing())
    .execute();
}
