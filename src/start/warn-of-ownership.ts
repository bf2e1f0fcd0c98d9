// Warns if the service's role owns the schema, because the owner could rewrite the audit log.

import { isLocal } from '../domain/address.ts';
import { findOwnership } from '../platform/sql/server.ts';
import type { App } from './app.ts';

/** Logs the warning. In development, where one role is used for everything, it is only information. */
export async function warnOfOwnership({
  db,
  log,
  config,
}: Pick<App, 'db' | 'log' | 'config'>): Promise<void> {
  const ownership = await findOwnership(db, {});
  if (ownership?.isOwner)
    log[isLocal(config.publicBaseUrl) ? 'info' : 'warn'](
      { code: 'database.role_owns_schema' },
      'the database role of the service owns the schema and could rewrite the audit record; set DATABASE_SERVICE_ROLE for db:migrate, and use that role',
    );
}
