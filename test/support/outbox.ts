// The outbox as the database contains it.
import { sql } from 'kysely';
import { CHANNEL } from '../../src/tables/processes/statements.ts';
import { byTable } from './by-table.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export type WorkRow = {
  kind: 'effect' | 'callback';
  id: string;
  /** The effect's type, or `callback` for a callback. */
  type: string;
  leasedBy: string | null;
  attempts: number;
  dueAt: Date;
};

/** Returns the unfinished effects and callbacks, oldest first. */
export async function workIn({ service }: World): Promise<WorkRow[]> {
  const { rows } = await sql<WorkRow>`
    select 'effect' as kind, id, type::text, leased_by as "leasedBy", attempts, due_at as "dueAt", created_at as at
      from effects where due_at is not null
    union all
    select 'callback', id, 'callback', leased_by, attempts, due_at, received_at
      from webhook_events where due_at is not null
    order by at
  `.execute(service.app.db);
  return rows;
}

export const leasedIn = async (world: World): Promise<WorkRow[]> =>
  (await workIn(world)).filter(({ leasedBy }) => leasedBy !== null);

export const outboxEmpties = (world: World, withinMs?: number): Promise<WorkRow[]> =>
  until(
    () => workIn(world),
    (works) => works.length === 0,
    withinMs,
  );

/** Makes everything that waits for its next attempt due now. */
async function makeDue({ service }: World): Promise<void> {
  const { db } = service.app;
  for (const table of ['effects', 'webhook_events'] as const)
    await byTable(db)
      .updateTable(table)
      .set({ due_at: sql<Date>`now()` })
      .where('due_at', '>', sql<Date>`now()`)
      .where('leased_by', 'is', null)
      .execute();
  await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
}

/** Makes the polls of these resources due, except of those that are not polled. Returns how many. */
export async function makePollsDue(
  { service: { app } }: World,
  column: 'handle' | 'provider_ref' | 'subject_id' | 'subject_kind',
  value: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update provider_resources set next_poll_at = now()
    where ${sql.ref(column)} = ${value} and next_poll_at is not null`.execute(app.db);
  return Number(numAffectedRows);
}

/** The columns, written by the database's clock, by which one process judges what another has written. */
const judged = {
  effects: ['created_at', 'last_unknown_at', 'urgent_until'],
  effect_pauses: ['paused_at'],
  conversion_quotes: ['created_at'],
  pix_quotes: ['created_at', 'expires_at'],
  withdraws: ['created_at'],
  users: ['balance_read_at'],
};

/**
 * Lets time pass by the database's clock, which no test can set: the stored times become older by `ms`. Without a time zone, the
 * difference does not depend on the session, so that a cluster accepts it as well.
 */
export async function growOlder({ service: { app } }: World, ms: number): Promise<void> {
  for (const [table, columns] of Object.entries(judged)) {
    const older = columns.map(
      (name) =>
        sql`${sql.ref(name)} = (${sql.ref(name)} at time zone 'utc' - make_interval(secs => ${ms / 1_000})) at time zone 'utc'`,
    );
    await sql`update ${sql.table(table)} set ${sql.join(older)}`.execute(app.db);
  }
}

/** Lets time pass for waiting work, and makes it due. The clocks of the service and of the provider stay the same. */
export async function letTimePass(world: World, ms: number): Promise<void> {
  await growOlder(world, ms);
  await makeDue(world);
}
