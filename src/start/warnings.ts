// Warns at the start about roles of the database that should be configured differently.

import { isLocal } from '../domain/address.ts';
import { roleSettings } from '../platform/database/deadlines.ts';
import type { Db } from '../tables/orm.ts';
import { findErasureRights, findOwnership, listUnlimitedSettings } from '../tables/server.ts';
import type { App } from './app.ts';

type Services = Pick<App, 'db' | 'erasureDb' | 'log' | 'config'>;

/** Makes every check of this file, one after the other. A check that fails with an error is logged. */
export async function warnOfDatabaseRoles(app: Services): Promise<void> {
  const checks = [
    ['ownership', warnOfOwnership, 'the owner of the schema could not be determined'],
    ['erasure', warnOfErasureRights, 'the rights to erase people could not be read from the database'],
    ['deadlines', warnOfMissingDeadlines, 'the deadlines of the role could not be read'],
  ] as const;
  for (const [subject, warn, sentence] of checks)
    await warn(app).catch((error: unknown) =>
      app.log.warn({ code: `database.${subject}_unknown`, error }, sentence),
    );
}

/**
 * Warns if the server has no deadlines for our statements. A pooler in transaction mode does not pass on start-up options, so the
 * deadlines must be settings of the role, which `npm run db:migrate` sets.
 */
async function warnOfMissingDeadlines({ db, erasureDb, log, config }: Services): Promise<void> {
  if (config.databaseBehind.pooler === 'none') return;
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

/**
 * Warns if the service's role may erase users, or if no role may. In development, where one role is used for everything, the first
 * warning is only information.
 */
async function warnOfErasureRights({ db, erasureDb, log, config }: Services): Promise<void> {
  const service = await readRights(db);
  if (service.mayErase)
    log[isLocal(config.publicBaseUrl) ? 'info' : 'warn'](
      { code: 'database.service_may_erase' },
      'the database role of the service may delete transitions and data keys; set DATABASE_ERASURE_ROLE for db:migrate, and ERASURE_DATABASE_URL for the service',
    );
  // A process that serves only the API erases nothing, so it needs no role that may.
  if (config.role === 'api') return;
  const erasure = await readRights(erasureDb);
  if (!erasure.mayErase || erasure.database !== service.database)
    log.warn(
      { code: 'database.none_may_erase' },
      'users cannot be erased: ERASURE_DATABASE_URL is missing, has a role that db:migrate did not grant, or leads to another database',
    );
}

const readRights = async (db: Db): Promise<{ mayErase: boolean; database: string }> =>
  (await findErasureRights(db, {})) ?? { mayErase: false, database: '' };

/** Warns if the service's role owns the schema. In development, where one role is used for everything, it is only information. */
async function warnOfOwnership({ db, log, config }: Services): Promise<void> {
  const ownership = await findOwnership(db, {});
  if (ownership?.isOwner)
    log[isLocal(config.publicBaseUrl) ? 'info' : 'warn'](
      { code: 'database.role_owns_schema' },
      'the database role of the service owns the schema and could rewrite the audit record; set DATABASE_SERVICE_ROLE for db:migrate, and use that role',
    );
}
