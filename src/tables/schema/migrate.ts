// `npm run db:migrate`: migrates the database at DATABASE_URL to this version's schema. Grants the roles that DATABASE_SERVICE_ROLE,
// DATABASE_ERASURE_ROLE, DATABASE_OPERATORS_ROLE and DATABASE_SUPPORT_ROLE name the privileges that they need, and sets the deadlines of
// the first two.
import type { Pool } from 'pg';
import { migrationDeadlines } from '../../platform/database/deadlines.ts';
import { createPool } from '../../platform/database/pool.ts';
import { createOrm } from '../orm.ts';
import { grantToRoles } from './grants.ts';
import { setRoleDeadlines } from './role-deadlines.ts';
import { migrate } from './schema.ts';

const url = process.env['DATABASE_URL'];
if (!url) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
const pool = createPool(url, 4, migrationDeadlines);
try {
  const orm = await createOrm(pool);
  const applied = await migrate(orm, (next, most) =>
    console.log(`another session holds a lock that a migration needs: try ${next} of ${most} follows`),
  );
  console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is up to date');
  const service = process.env['DATABASE_SERVICE_ROLE'] || undefined;
  const erasure = process.env['DATABASE_ERASURE_ROLE'] || undefined;
  const operators = process.env['DATABASE_OPERATORS_ROLE'] || undefined;
  const support = process.env['DATABASE_SUPPORT_ROLE'] || undefined;
  await grantToRoles(pool, { service, erasure, operators, support });
  if (service !== undefined) console.log(`${service} may change rows, and nothing else`);
  if (erasure !== undefined) console.log(`${erasure} may erase users, and nothing else`);
  if (operators !== undefined) console.log(`members of ${operators} may change rows, under their own names`);
  if (support !== undefined) console.log(`members of ${support} may read where money is, and not whose`);
  for (const role of [service, erasure]) if (role !== undefined) await setDeadlines(pool, role);
  await orm.close(true);
} catch (error) {
  console.error(
    `The schema could not be brought up to date: ${error instanceof Error ? error.message || error.name : String(error)}`,
  );
  process.exit(1);
}

async function setDeadlines(owner: Pool, role: string): Promise<void> {
  const unset = await setRoleDeadlines(owner, role);
  if (unset !== null)
    console.log(`only an administrator may set the deadlines of ${role}, which a pooler needs:\n${unset}`);
}
