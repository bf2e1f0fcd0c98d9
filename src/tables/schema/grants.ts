// Grants the privileges of the roles that the service and its people connect as. One serves: it changes rows but not the tables. One erases
// users. Operators are members of one, people of support of another. A further role owns the schema and grants these privileges after
// migrating, so an intruder in the service has only what is granted here.
import type { Pool } from 'pg';
import type { Tables } from '../entities.ts';
import { payloadTables } from '../webhook-payloads/entity.ts';
import { assertViewsPossible, supportViews } from './support-views.ts';

type Table = keyof Tables | 'schema_migrations' | 'schema_floor';

/** Tables whose rows are only inserted. */
const APPEND_ONLY: Table[] = ['audit_events'];
const READ_ONLY: Table[] = ['operator_roles', 'schema_migrations', 'schema_floor'];
/** Tables whose rows are never updated. They are deleted with their user. */
const NEVER_CHANGED: Table[] = ['transitions', 'provider_object_users', 'identity_users'];
/**
 * Tables from which only erasure deletes. From `data_keys`, the purge of callbacks also deletes: it
 * destroys the keys of old months.
 */
const DELETED_BY_ERASURE: Table[] = [
  'bank_details',
  'contestations',
  'data_keys',
  'data_requests',
  'discrepancies',
  'identity_users',
  'kyc_verifications',
  'name_budgets',
  'payout_refunds',
  'pix_payments',
  'provider_accounts',
  'provider_object_users',
  'provider_resources',
  'transactions',
  'transitions',
  'users',
  'withdraws',
];
/** Tables from which the service deletes while a user exists, and erasure deletes afterwards. */
const DELETED_BY_BOTH: Table[] = [
  'conversion_quotes',
  'effects',
  'idempotency_keys',
  'name_checks',
  'pix_codes',
  'pix_lookups',
  'pix_quotes',
  'pix_recipients',
  'webhook_events',
  'webhook_payloads',
];

/**
 * The names of the roles that the service connects as, and of the roles that the logins of operators and of support are members of. Each
 * may be undefined.
 */
export type Roles = {
  service: string | undefined;
  erasure: string | undefined;
  operators: string | undefined;
  support: string | undefined;
};

/**
 * Grants the roles what they need and revokes everything else. It is safe to repeat, and must run after each migration. If there
 * is a role for erasure, the others cannot delete what only erasure deletes. With a role of operators, the audit record takes changes of
 * operators from its members alone, and searches also from those of support.
 * @throws before anything is granted, if a role does not exist or has more rights than are granted here: as a superuser, as an
 *   owner of the schema, or (except for erasure) as a member of another role. Also if support, but not operators, have a role.
 */
export async function grantToRoles(pool: Pool, roles: Roles): Promise<void> {
  await assertSeparate(pool, roles);
  const { service, erasure, operators, support } = roles;
  const serving = [service, operators].filter((role) => role !== undefined);
  // Grant the erasure role first, so that there is always a role that may erase.
  if (erasure !== undefined)
    await grant(pool, erasure, async (to) => [
      `grant select, delete on ${tables([...DELETED_BY_ERASURE, ...DELETED_BY_BOTH])} to ${to}`,
      // An erasure locks the user's row, which requires the privilege to update a column. No decision depends on this column.
      `grant update (created_at) on public.users to ${to}`,
      // The trigger of the audit log reads the last row, to number and chain the new one.
      `grant insert, select (seq, hash) on ${tables(APPEND_ONLY)} to ${to}`,
    ]);
  for (const role of serving)
    await grant(pool, role, async (to) => [
      `grant select, insert, update, delete on all tables in schema public to ${to}`,
      // Retention empties the table of a day. The service may delete its rows in any case.
      `grant truncate on ${tables(payloadTables)} to ${to}`,
      `grant execute on function public.find_by_hash to ${to}`,
      `revoke update, delete on ${tables(APPEND_ONLY)} from ${to}`,
      `revoke insert, update, delete on ${tables(READ_ONLY)} from ${to}`,
      `revoke update on ${tables(NEVER_CHANGED)} from ${to}`,
      ...(erasure === undefined ? [] : [`revoke delete on ${tables(DELETED_BY_ERASURE)} from ${to}`]),
    ]);
  if (support !== undefined) await grant(pool, support, (to) => supportViews(pool, to));
  if (operators !== undefined)
    await nameOperators(pool, support === undefined ? [operators] : [operators, support]);
}

async function assertSeparate(pool: Pool, { service, erasure, operators, support }: Roles): Promise<void> {
  if (support !== undefined && operators === undefined)
    throw new Error(
      'DATABASE_SUPPORT_ROLE needs DATABASE_OPERATORS_ROLE: the audit record takes names from the logins of both, or of neither',
    );
  if (support !== undefined) await assertViewsPossible(pool);
  for (const role of [service, operators, support, erasure])
    if (role !== undefined) await assertOrdinary(pool, role);
  const pairs = [
    [service, erasure],
    [operators, erasure],
    [service, operators],
    ...[service, operators, erasure].map((other) => [support, other]),
  ];
  for (const [role, other] of pairs)
    if (role !== undefined && other !== undefined) await assertNoMember(pool, role, other);
}

/**
 * Names the roles whose members the audit record knows. The new names come before the former ones go, so that the audit record is never
 * open to others. A migration that names no operators leaves the former names.
 */
async function nameOperators(pool: Pool, roles: string[]): Promise<void> {
  await pool.query('insert into operator_roles (name) select unnest($1::text[]) on conflict do nothing', [
    roles,
  ]);
  await pool.query('delete from operator_roles where name <> all($1)', [roles]);
}

/** Replaces a role's privileges. @param privileges returns the statements that grant them, given the role's escaped name. */
async function grant(pool: Pool, role: string, privileges: (to: string) => Promise<string[]>): Promise<void> {
  const client = await pool.connect();
  try {
    const to = client.escapeIdentifier(role);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = client.escapeIdentifier(rows[0]?.name ?? '');
    // All statements run in one transaction, so that a running service is never without its privileges.
    const statements = [
      'begin',
      `revoke create, temporary on database ${database} from public`,
      'revoke create on schema public from public',
      `revoke all on database ${database} from ${to}`,
      `revoke all on schema public from ${to}`,
      `revoke all on all tables in schema public from ${to}`,
      `revoke all on all sequences in schema public from ${to}`,
      `revoke all on all functions in schema public from ${to}`,
      `grant connect on database ${database} to ${to}`,
      `grant usage on schema public to ${to}`,
      ...(await privileges(to)),
      'commit',
    ];
    await client.query(statements.join(';\n'));
  } finally {
    // A connection that failed within a transaction must not return to the pool.
    client.release(true);
  }
}

const tables = (names: readonly string[]): string => names.map((name) => `public.${name}`).join(', ');

async function assertOrdinary(pool: Pool, role: string): Promise<void> {
  const { rows } = await pool.query<{ mayMore: boolean; isOwner: boolean }>(
    `select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as "mayMore",
       pg_has_role(rolname, current_user, 'member') as "isOwner"
     from pg_roles where rolname = $1`,
    [role],
  );
  const [found] = rows;
  if (!found)
    throw new Error(
      `the role ${role} does not exist; create it with: create role ${role} login password '...'`,
    );
  if (found.mayMore)
    throw new Error(
      `the role ${role} is a superuser, may create roles or databases, or bypasses row-level security`,
    );
  if (found.isOwner) throw new Error(`the role ${role} is, or belongs to, the one that owns the schema`);
}

/** Refuses two roles of which the first has the rights of the second. A role is a member of itself. */
async function assertNoMember(pool: Pool, role: string, other: string): Promise<void> {
  const { rows } = await pool.query(
    `select from pg_roles as one, pg_roles as other
     where one.rolname = $1 and other.rolname = $2 and pg_has_role(one.oid, other.oid, 'member')`,
    [role, other],
  );
  if (rows.length > 0)
    throw new Error(`the role ${role} is, or belongs to, ${other}, which has another task: use two roles`);
}
