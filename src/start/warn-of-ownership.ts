// Whether the service could change the schema that it works with, and so the record of what was done: it should not.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { isLocal } from '../domain/address.ts';

/** Says so in the log; on a machine of one's own, where everything goes by one role, it is no warning. */
export async function warnOfOwnership({
  db,
  log,
  config,
}: Pick<App, 'db' | 'log' | 'config'>): Promise<void> {
  const { rows } = await sql<{ isOwner: boolean }>`
    select pg_has_role(relowner, 'member') as "isOwner" from pg_class where oid = 'audit_events'::regclass
  `.execute(db);
  if (rows[0]?.isOwner)
    log[isLocal(config.publicBaseUrl) ? 'info' : 'warn'](
      { code: 'database.role_owns_schema' },
      'the database role of the service owns the schema and could rewrite the audit record; set DATABASE_SERVICE_ROLE for db:migrate, and go by that role',
    );
}
