// The deadlines as settings of the service's role, for connections that cannot bring their own: a pooler in transaction mode
// refuses start-up options. Connections without a pooler bring theirs, which override these.
import type { Pool } from 'pg';
import { roleSettings } from './deadlines.ts';

/**
 * Sets them for `role` in this database. Safe to repeat.
 * @returns null, or the statements for an administrator where the owner of the schema may not change the role.
 */
export async function setRoleDeadlines(pool: Pool, role: string): Promise<string | null> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const who = `${client.escapeIdentifier(role)} in database ${client.escapeIdentifier(rows[0]?.name ?? '')}`;
    const statements = Object.entries(roleSettings)
      .map(([name, value]) => `alter role ${who} set ${name} = ${client.escapeLiteral(value)};`)
      .join('\n');
    return await client.query(statements).then(
      () => null,
      (error: unknown) => {
        if ((error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) return statements;
        throw error;
      },
    );
  } finally {
    client.release();
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';
