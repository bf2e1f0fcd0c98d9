// Reads from the tables which process leases which work, and when other processes have resumed it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

export type Lease = { kind: string; id: string; token: number };

const READ_EVERY_MS = 50;
/** The process that takes work over ends the lease, and the process that resumes it begins another lease. */
const TOKENS_TO_TAKE_UP = 2;

const WORK = `
  select 'effect' as kind, id, leased_by, lease_token::int as token from effects
  union all select 'callback', id, leased_by, lease_token::int from webhook_events
  union all select 'poll', handle, leased_by, lease_token::int from provider_resources`;

/** The id under which the process leases work. Null while it has none. */
export async function ownerOf(pool: Pool, pid: number): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from processes where name like '%:' || $1 order by started_at desc limit 1`,
    [String(pid)],
  );
  return rows[0]?.id ?? null;
}

export async function ownersIn(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from processes order by id');
  return rows.map(({ id }) => id);
}

export async function leasesOf(pool: Pool, owner: string): Promise<Lease[]> {
  const { rows } = await pool.query<Lease>(
    `select kind, id, token from (${WORK}) as work where leased_by = $1`,
    [owner],
  );
  return rows;
}

/** When another process resumed each of these leases, on `performance.now()`. Work that no process resumed in time is missing. */
export async function takenUp(pool: Pool, leases: Lease[], withinMs: number): Promise<Map<string, number>> {
  const ids = leases.map(({ id }) => id);
  const before = new Map(leases.map(({ id, token }) => [id, token]));
  const at = new Map<string, number>();
  const endsAt = performance.now() + withinMs;
  while (at.size < ids.length && performance.now() < endsAt) {
    await pause(READ_EVERY_MS);
    const { rows } = await pool.query<Lease>(`select id, token from (${WORK}) as work where id = any($1)`, [
      ids,
    ]);
    for (const { id, token } of rows)
      if (!at.has(id) && token >= (before.get(id) ?? 0) + TOKENS_TO_TAKE_UP) at.set(id, performance.now());
  }
  return at;
}
