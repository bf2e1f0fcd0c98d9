// `npm run db:distribute`: gives the tables of the database at DATABASE_URL their places on Citus.
import { migrationDeadlines } from '../../platform/database/deadlines.ts';
import { createPool } from '../../platform/database/pool.ts';
import { createOrm, dbOf } from '../orm.ts';
import { distribute } from './distribute.ts';

const url = process.env['DATABASE_URL'];
if (!url) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
const pool = createPool(url, 1, migrationDeadlines);
try {
  const orm = await createOrm(pool);
  const moved = await distribute(dbOf(orm));
  console.log(moved.length > 0 ? `gave their places to ${moved.join(', ')}` : 'every table has its place');
  await orm.close(true);
} catch (error) {
  console.error(
    `The tables could not be distributed: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exit(1);
}
