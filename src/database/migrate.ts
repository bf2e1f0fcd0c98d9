// `npm run db:migrate`: brings the database at DATABASE_URL to this version's schema. Where DATABASE_SERVICE_ROLE names
// the role that the service uses, that one is granted what it needs, and no more, and has deadlines of its own.

import { migrationDeadlines } from './deadlines.ts';
import { grantToService } from './grants.ts';
import { createOrm } from './orm.ts';
import { createPool } from './pool.ts';
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
  const role = process.env['DATABASE_SERVICE_ROLE'];
  if (role) {
    await grantToService(pool, role);
    console.log(`${role} may change rows, and nothing else`);
    const unset = await setRoleDeadlines(pool, role);
    if (unset !== null)
      console.log(`only an administrator may set its deadlines, which a pooler needs:\n${unset}`);
  }
  await orm.close(true);
} catch (error) {
  console.error(
    `The schema could not be brought up to date: ${error instanceof Error ? error.message || error.name : String(error)}`,
  );
  process.exit(1);
}
