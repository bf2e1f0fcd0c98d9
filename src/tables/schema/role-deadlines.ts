// Sets the deadlines as settings of the service's role, for connections that cannot send their own: a pooler in transaction mode
// refuses start-up options. Connections without a pooler send theirs, which override these.
import type { Pool } from 'pg';
import { roleSettings } from '../../platform/database/deadlines.ts';

/**
 * Sets the deadlines of `role` in this database. It is safe to repeat.
 * @returns null, or the statements for an administrator if the schema's owner may not change the role.
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
