// Warns when the server has no deadlines for our statements. A pooler in transaction mode passes on no start-up options, so
// they are settings of the role, which `npm run db:migrate` makes.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { roleSettings } from '../database/deadlines.ts';

export async function warnOfMissingDeadlines({
  db,
  log,
  config,
}: Pick<App, 'db' | 'log' | 'config'>): Promise<void> {
  if (config.databasePooler === 'none') return;
  const names = Object.keys(roleSettings);
  const { rows } = await sql<{ name: string }>`
    select name from pg_settings where name in (${sql.join(names)}) and setting = '0' order by name`.execute(
    db,
  );
  const missing = rows.map(({ name }) => name);
  if (missing.length > 0)
    log.warn(
      { code: 'database.no_deadlines', missing },
      'the database role of the service has no deadlines, and none can be sent through a pooler; set DATABASE_SERVICE_ROLE for db:migrate',
    );
}
