// The privileges of the service's role: it changes rows, and nothing about the tables. The owner of the schema grants
// them after migrating; the service uses another role, and so does an attacker who takes it over.
import type { Pool } from 'pg';

/** Tables that only grow. */
const APPEND_ONLY = ['audit_events'];
const READ_ONLY = ['schema_migrations', 'schema_floor'];
/** Written once, and deleted with the person they are about. */
const NEVER_CHANGED = ['transitions', 'provider_object_users', 'identity_users'];

/**
 * Grants `role` what the service needs, and takes everything else from it. Safe to repeat, and needed after each migration.
 * @throws when there is no such role, or it could do more than it is granted here: as a superuser, or as an owner.
 */
export async function grantToService(pool: Pool, role: string): Promise<void> {
  await assertOrdinary(pool, role);
  const client = await pool.connect();
  try {
    const to = client.escapeIdentifier(role);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = client.escapeIdentifier(rows[0]?.name ?? '');
    // In one transaction, so that a running service is never without its privileges.
    const statements = [
      'begin',
      `revoke create, temporary on database ${database} from public`,
      'revoke create on schema public from public',
      `revoke all on database ${database} from ${to}`,
      `revoke all on schema public from ${to}`,
      `revoke all on all tables in schema public from ${to}`,
      `revoke all on all sequences in schema public from ${to}`,
      `grant connect on database ${database} to ${to}`,
      `grant usage on schema public to ${to}`,
      `grant select, insert, update, delete on all tables in schema public to ${to}`,
      `revoke update, delete on ${tables(APPEND_ONLY)} from ${to}`,
      `revoke insert, update, delete on ${tables(READ_ONLY)} from ${to}`,
      `revoke update on ${tables(NEVER_CHANGED)} from ${to}`,
      'commit',
    ];
    await client.query(statements.join(';\n'));
  } finally {
    // A connection that failed in the middle of a transaction cannot be used again.
    client.release(true);
  }
}

const tables = (names: string[]): string => names.map((name) => `public.${name}`).join(', ');

async function assertOrdinary(pool: Pool, role: string): Promise<void> {
  const { rows } = await pool.query<{ mayMore: boolean; isOwner: boolean }>(
    `select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as "mayMore",
       pg_has_role(rolname, current_user, 'member') as "isOwner"
     from pg_roles where rolname = $1`,
    [role],
  );
  const [found] = rows;
  if (!found) throw new Error(`there is no role ${role}; make one: create role ${role} login password '...'`);
  if (found.mayMore)
    throw new Error(`the role ${role} may do more than a service should: it is no ordinary one`);
  if (found.isOwner) throw new Error(`the role ${role} is, or belongs to, the one that owns the schema`);
}
