// `npm run db:migrate`: migrates the database at DATABASE_URL to this version's schema. Grants the roles that DATABASE_SERVICE_ROLE,
// DATABASE_ERASURE_ROLE, DATABASE_OPERATORS_ROLE and DATABASE_SUPPORT_ROLE name the privileges that they need, and sets the deadlines of
// the first two.
import { bringUpToDate } from './bring-up-to-date.ts';

const url = process.env['DATABASE_URL'];
if (!url) {
  console.error('DATABASE_URL is not set');
  process.exit(1);
}
try {
  await bringUpToDate(url, process.env, console.log);
} catch (error) {
  console.error(
    `The schema could not be brought up to date: ${error instanceof Error ? error.message || error.name : String(error)}`,
  );
  process.exit(1);
}
