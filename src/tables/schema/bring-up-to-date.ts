// Migrates a database, and grants the privileges that roles of the service and of people need.
import type { Pool } from 'pg';
import { migrationDeadlines } from '../../platform/database/deadlines.ts';
import { createPool } from '../../platform/database/pool.ts';
import { createOrm } from '../orm.ts';
import { grantToRoles } from './grants.ts';
import { setRoleDeadlines } from './role-deadlines.ts';
import { migrate } from './schema.ts';

/**
 * Migrates the database to this version's schema, and sets the deadlines of the roles that processes have.
 * @param env names the roles. An empty name is the same as none.
 * @param say is told of each step, in a sentence.
 * @throws if a migration fails, or a role cannot have the privileges. What was applied before stays.
 */
export async function bringUpToDate(
  url: string,
  env: NodeJS.ProcessEnv,
  say: (sentence: string) => void,
): Promise<void> {
  const pool = createPool(url, 4, migrationDeadlines);
  const orm = await createOrm(pool);
  try {
    const applied = await migrate(orm, (next, maxTries) =>
      say(`another session holds a lock that a migration needs: try ${next} of ${maxTries} follows`),
    );
    say(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is up to date');
    const service = env['DATABASE_SERVICE_ROLE'] || undefined;
    const erasure = env['DATABASE_ERASURE_ROLE'] || undefined;
    const operators = env['DATABASE_OPERATORS_ROLE'] || undefined;
    const support = env['DATABASE_SUPPORT_ROLE'] || undefined;
    await grantToRoles(pool, { service, erasure, operators, support });
    if (service !== undefined) say(`${service} may change rows, and nothing else`);
    if (erasure !== undefined) say(`${erasure} may erase users, and nothing else`);
    if (operators !== undefined) say(`members of ${operators} may change rows, under their own names`);
    if (support !== undefined) say(`members of ${support} may read where money is, and not whose`);
    for (const role of [service, erasure]) if (role !== undefined) await setDeadlines(pool, role, say);
  } finally {
    await orm.close(true);
  }
}

async function setDeadlines(owner: Pool, role: string, say: (sentence: string) => void): Promise<void> {
  const unset = await setRoleDeadlines(owner, role);
  if (unset !== null)
    say(`only an administrator may set the deadlines of ${role}, which a pooler needs:\n${unset}`);
}
