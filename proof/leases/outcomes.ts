// Every outcome of an effect, recorded by a trigger when it is written: the row itself shows only the last one.
import type { Pool } from 'pg';

export async function recordOutcomes(pool: Pool): Promise<void> {
  await pool.query(`
    create schema proof;
    create table proof.outcomes (effect_id uuid not null, status text not null, lease_token int not null);
    create function proof.record_outcome() returns trigger language plpgsql security definer as $$
      begin
        insert into proof.outcomes values (new.id, new.status, old.lease_token);
        return null;
      end $$;
    create trigger record_outcome after update on effects for each row
      when (new.finished_at is not null and new.finished_at is distinct from old.finished_at)
      execute function proof.record_outcome()`);
}

/** How many effects have an outcome, and the ids of those for which one was written twice. */
export async function outcomesIn(pool: Pool): Promise<{ count: number; twice: string[] }> {
  const { rows } = await pool.query<{ id: string; count: number }>(
    'select effect_id as id, count(*)::int as count from proof.outcomes group by effect_id',
  );
  return { count: rows.length, twice: rows.filter(({ count }) => count > 1).map(({ id }) => id) };
}
