// Warns if the service's role may delete rows that only erasure should delete, and if erasure cannot delete them.

import { isLocal } from '../domain/address.ts';
import type { Db } from '../platform/database/orm.ts';
import { findErasureRights } from '../platform/sql/server.ts';
import type { App } from './app.ts';

/** Logs the warnings. In development, where one role is used for everything, the first one is only information. */
export async function warnOfErasureRights({
  db,
  erasureDb,
  log,
  config,
}: Pick<App, 'db' | 'erasureDb' | 'log' | 'config'>): Promise<void> {
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
      'people cannot be erased: ERASURE_DATABASE_URL is missing, has a role that db:migrate did not grant, or leads to another database',
    );
}

const readRights = async (db: Db): Promise<{ mayErase: boolean; database: string }> =>
  (await findErasureRights(db, {})) ?? { mayErase: false, database: '' };
