// Creates a backlog: all instances are down, and when they start again, every callback that the provider ever sent is due to be
// processed again, and every object is due to be polled. The service has seen nearly all of it, so it must change nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { WORK_IN_PROGRESS } from '../audit/ours.ts';
import type { Counts } from './counts.ts';
import type { Stack } from './stack.ts';

const AWAY_MS = 5_000;

/**
 * Stops all instances, makes the backlog due, and starts the instances again.
 * @throws if the database is stopped at the time.
 */
export async function dueBacklog({ instances, database }: Stack, counts: Counts): Promise<void> {
  await Promise.all(instances.map((instance) => instance.ready()));
  for (const instance of instances) instance.kill(AWAY_MS);
  while (instances.some((instance) => instance.isReady())) await pause(20);
  const pool = new Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
  try {
    await pool.query('update provider_resources set next_poll_at = now() where provider_ref is not null');
    await pool.query(
      `update webhook_events set status = 'received', processed_at = null, due_at = now() where status = 'applied'`,
    );
    const { rows } = await pool.query<{ due: number }>(
      `select count(*)::int as due from (${WORK_IN_PROGRESS}) as work`,
    );
    counts.backlog = Math.max(counts.backlog, rows[0]?.due ?? 0);
  } finally {
    await pool.end();
  }
  await Promise.all(instances.map((instance) => instance.ready()));
}
