// Deletes finished effects and idempotency keys after 90 days, once their payment or withdrawal is final.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { unfinished } from '../../machines/states.ts';
import { count } from '../batch/counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { workRemovedUpTo } from '../domain/retention.ts';

const PAGE_SIZE = 1_000;

/** Reads effects in the order of their creation, and ends at the first one that is too young. */
export async function deleteOldEffects(
  { app, counters }: StageContext,
  { after }: PagePosition,
): Promise<PageResult> {
  const until = workRemovedUpTo(app.clock.now());
  const { rows } = await sql<{ id: string; created_at: Date }>`
    select id, created_at from effects where id > ${after ?? NIL_UUID} order by id limit ${sql.lit(PAGE_SIZE)}
  `.execute(app.db);
  const old = rows.filter(({ created_at: createdAt }) => createdAt <= until);
  const { numAffectedRows = 0n } = await sql`
    delete from effects
    where id = any(${old.map(({ id }) => id)}::uuid[]) and finished_at <= ${until}
      and not ${isUnfinished(sql`effects.subject_id`, sql`effects.user_id`)}
  `.execute(app.db);
  count(counters, 'effects removed', Number(numAffectedRows));
  return { next: nextAfter(old, PAGE_SIZE, ({ id }) => id) };
}

export async function deleteOldKeys({ app, counters }: StageContext): Promise<PageResult> {
  const { numAffectedRows = 0n } = await sql`
    delete from idempotency_keys
    where (user_id, operation, key) in (
      select kept.user_id, kept.operation, kept.key from idempotency_keys as kept
      where kept.created_at <= ${workRemovedUpTo(app.clock.now())}
        and not ${isUnfinished(sql`kept.resource_id`, sql`kept.user_id`)}
      order by kept.created_at
      limit ${sql.lit(PAGE_SIZE)}
    )
  `.execute(app.db);
  count(counters, 'idempotency keys removed', Number(numAffectedRows));
  return { next: numAffectedRows < PAGE_SIZE ? null : { after: null } };
}

const isUnfinished = (id: RawBuilder<unknown>, userId: RawBuilder<unknown>): RawBuilder<SqlBool> => sql`(
  exists (
    select from pix_payments as payment
    where payment.id = ${id} and payment.user_id = ${userId} and payment.state in (${list(unfinished.pix_payment)})
  ) or exists (
    select from withdraws as withdraw
    where withdraw.id = ${id} and withdraw.user_id = ${userId} and withdraw.state in (${list(unfinished.withdraw)})
  )
)`;

const list = (states: readonly string[]) => sql.join(states.map((state) => sql.lit(state)));
