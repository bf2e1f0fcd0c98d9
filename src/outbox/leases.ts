// Leases: which process has a row, and with which token. A token counts the leases of its row, so an earlier holder is told
// from a later one however long it was paused.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { type WorkKind, workKinds } from './work.ts';

/** Thrown to take back the transaction that would have written a decision: another process has the row now. */
export class LeaseLost extends Error {
  constructor(kind: WorkKind | 'run', id: string) {
    super(`the lease of ${kind} ${id} was lost: another process has it, or an operator ended it`);
    this.name = 'LeaseLost';
  }
}

/** @throws LeaseLost when the statement that needs the lease found no row. */
export function assertHeld(kind: WorkKind, id: string, { numUpdatedRows }: { numUpdatedRows: bigint }): void {
  if (numUpdatedRows !== 1n) throw new LeaseLost(kind, id);
}

/** A time by the database's clock. */
export const dueIn = (delayMs: number): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(secs => ${delayMs / 1_000})`;

/** The tables of work, and the columns by which a row is found, and is due. */
export const tables: Record<WorkKind, { name: string; id: string; dueAt: string }> = {
  effect: { name: 'effects', id: 'id', dueAt: 'due_at' },
  callback: { name: 'webhook_events', id: 'id', dueAt: 'due_at' },
  poll: { name: 'provider_resources', id: 'handle', dueAt: 'next_poll_at' },
};

/** True of every row that is leased; with it the index of what is due is used. */
const isLeft = (kind: WorkKind) => (kind === 'poll' ? sql`true` : sql`due_at is not null`);

/** Ends leases whose work was not begun: it is due again, for any process. */
export async function release(db: Db, owner: string, kind: WorkKind, ids: string[]): Promise<void> {
  const { name, id } = tables[kind];
  await sql`
    update ${sql.table(name)} set leased_by = null
    where leased_by = ${owner} and ${sql.ref(id)} = any(${ids}::uuid[])
  `.execute(db);
}

/** The leases of a process, by kind and id, with their tokens. */
export async function leasesOf(
  db: Db,
  owner: string,
): Promise<{ kind: WorkKind; id: string; token: number }[]> {
  const each = workKinds.map(
    (kind) => sql`
      select ${sql.lit(kind)} as kind, ${sql.ref(tables[kind].id)} as id, lease_token as token
      from ${sql.table(tables[kind].name)} where leased_by = ${owner} and ${isLeft(kind)}`,
  );
  const { rows } = await sql<{ kind: WorkKind; id: string; token: number }>`
    ${sql.join(each, sql` union all `)}`.execute(db);
  return rows;
}

/** Ends every lease of `owner`, begun or not. An effect of it may have been sent, so its next try counts on that. */
export async function handBack(db: Db, owner: string): Promise<void> {
  await endLeases(db, sql`leased_by = ${owner}`);
}

/** Removes a process that is dead, unless it has written its heartbeat meanwhile, and ends its leases. */
export async function takeOver(db: Db, peer: { id: string; heartbeat: number }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('processes')
    .where('id', '=', peer.id)
    .where('heartbeat', '=', peer.heartbeat)
    .executeTakeFirst();
  await handBackOrphaned(db);
  return numDeletedRows === 1n;
}

/** Ends the leases of processes that are not registered any more: other processes have taken them for dead. */
export async function handBackOrphaned(db: Db): Promise<void> {
  const isOrphaned = sql`leased_by is not null and not exists (select from processes where id = leased_by)`;
  await endLeases(db, isOrphaned);
  await sql`update job_runs set leased_by = null, due_at = now() where ${isOrphaned}`.execute(db);
}

/** All by the database's clock: the process that ends a lease and the one that judges its request may differ in theirs. */
async function endLeases(db: Db, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    update effects set leased_by = null, lease_token = lease_token + 1, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where ${which} and ${isLeft('effect')}`.execute(db);
  await sql`
    update webhook_events set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where ${which} and ${isLeft('callback')}`.execute(db);
  await sql`
    update provider_resources set leased_by = null, lease_token = lease_token + 1, next_poll_at = now()
    where ${which}`.execute(db);
}
