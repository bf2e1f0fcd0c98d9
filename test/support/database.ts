// A database for one test file: a copy of the migrated template, searched for leaks and wrong orders of locks, and dropped when
// the file is done.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { withDatabase } from './database-url.ts';
import { endsWithin } from './ends-within.ts';
import { assertNothingLeaked, captureDatabase } from './leak-watch.ts';
import { assertLockOrder } from './lock-order.ts';

/** If dropping takes longer, the database stays until its server ends at the end of the run. */
const DROPPED_WITHIN_MS = 20_000;

export type TestDatabase = { url: string; drop: () => Promise<void> };

export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${inject('databaseTemplate')} strategy file_copy`);

/** Creates a database without a schema, for tests that create their own. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('');

async function createDatabase(how: string): Promise<TestDatabase> {
  const serverUrl = inject('databaseServerUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string): Promise<void> => {
    const admin = createPool(serverUrl, 1, noDeadlines);
    await admin.query(sql);
    await admin.end();
  };
  await run(`create database ${name} ${how}`);
  const url = withDatabase(serverUrl, name);
  return {
    url,
    drop: async () => {
      try {
        await captureDatabase(url);
        assertNothingLeaked();
        assertLockOrder();
      } finally {
        // The server waits until all its sessions have noticed, including the sessions that other tests froze on purpose.
        await endsWithin(
          DROPPED_WITHIN_MS,
          `dropping ${name}`,
          run(`drop database if exists ${name} with (force)`),
        );
      }
    },
  };
}
