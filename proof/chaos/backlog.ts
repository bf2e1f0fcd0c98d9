// Creates a backlog: all instances are down, and when they start again, every callback that the provider ever sent is due to be
// processed again, and every object is due to be polled. The service has seen nearly all of it, so it must change nothing.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { withPool } from '../../harness/database/query.ts';
import { readNow, WORK_IN_PROGRESS } from '../audit/ours.ts';
import type { Counts } from '../stack/counts.ts';
import type { Stack } from '../stack/stack.ts';

const AWAY_MS = 5_000;

/**
 * Stops all instances, makes the backlog due, and starts the instances again.
 * @throws if the database is stopped at the time.
 */
export async function dueBacklog({ instances, database }: Stack, counts: Counts): Promise<void> {
  await Promise.all(instances.map((instance) => instance.ready()));
  for (const instance of instances) instance.kill(AWAY_MS);
  while (instances.some((instance) => instance.isReady())) await pause(20);
  const due = await withPool(database.url, makeEverythingDue);
  counts.backlog = Math.max(counts.backlog, due);
  await Promise.all(instances.map((instance) => instance.ready()));
}

/** @returns how many rows are due. */
async function makeEverythingDue(pool: Pool): Promise<number> {
  await pool.query('update provider_resources set next_poll_at = now() where provider_ref is not null');
  // Each callback takes its payload back. One that was processed on a later day than received still has it.
  await pool.query(
    `with taken as (
       delete from webhook_payloads as payload using webhook_events as event
       where event.id = payload.event_id and event.status = 'applied'
       returning payload.event_id, payload.payload_sealed
     )
     update webhook_events as event
     set status = 'received', processed_at = null, due_at = now(),
       payload_sealed = coalesce(taken.payload_sealed, former.payload_sealed)
     from webhook_events as former left join taken on taken.event_id = former.id
     where former.id = event.id and event.status = 'applied'`,
  );
  const { rows } = await pool.query<{ due: number }>(
    `select count(*)::int as due from (${WORK_IN_PROGRESS}) as work`,
    [await readNow(pool)],
  );
  return rows[0]?.due ?? 0;
}
