// Captures values that exist only for a while: errors are overwritten when the next attempt succeeds. Triggers copy them into a
// table, which is searched for leaks at the end (see leak-watch.ts).
import type { Pool } from 'pg';

const passing: [table: string, columns: string[]][] = [
  ['public.effects', ['last_error']],
  ['public.open_circuits', ['reason']],
];

/** The name of a separate schema, which no entity declares. */
export const CAPTURE_TRIGGERS = 'heard';

export async function installCaptureTriggers(pool: Pool): Promise<void> {
  await pool.query(`
    create schema ${CAPTURE_TRIGGERS};
    create function ${CAPTURE_TRIGGERS}.hear() returns trigger language plpgsql
    -- The role of a service has no business here.
    security definer as $$
      begin
        execute format('insert into ${CAPTURE_TRIGGERS}.%I values ($1)', tg_table_name) using to_jsonb(new)::text;
        return null;
      end
    $$;
  `);
  for (const [table, columns] of passing) {
    const [, name] = table.split('.');
    await pool.query(`
      create unlogged table ${CAPTURE_TRIGGERS}.${name} (row text);
      create trigger heard after insert or update of ${columns.join(', ')} on ${table}
        for each row execute function ${CAPTURE_TRIGGERS}.hear();
    `);
  }
}
