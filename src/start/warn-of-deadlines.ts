// Warns if the server has no deadlines for our statements. A pooler in transaction mode does not pass on start-up options, so the
// deadlines must be settings of the role, which `npm run db:migrate` sets.

import { roleSettings } from '../platform/database/deadlines.ts';
import type { Db } from '../platform/database/orm.ts';
import { listUnlimitedSettings } from '../platform/sql/server.ts';
import type { App } from './app.ts';

export async function warnOfMissingDeadlines({
  db,
  erasureDb,
  log,
  config,
}: Pick<App, 'db' | 'erasureDb' | 'log' | 'config'>): Promise<void> {
  if (config.databasePooler === 'none') return;
  const missing = new Set([...(await missingDeadlines(db)), ...(await missingDeadlines(erasureDb))]);
  if (missing.size > 0)
    log.warn(
      { code: 'database.no_deadlines', missing: [...missing] },
      'a database role of the service has no deadlines, and none can be sent through a pooler; set DATABASE_SERVICE_ROLE and DATABASE_ERASURE_ROLE for db:migrate',
    );
}

async function missingDeadlines(db: Db): Promise<string[]> {
  const unlimited = await listUnlimitedSettings(db, { names: Object.keys(roleSettings) });
  return unlimited.map(({ name }) => name);
}
