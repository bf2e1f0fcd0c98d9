// A database for one test file: a copy of the migrated template, searched for leaks and wrong orders of locks, and dropped when
// the file is done.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseAt } from '../../harness/database/query.ts';
import { distributedSettings } from '../../harness/stack/settings.ts';
import { connectServers, onEach } from './database-cluster.ts';
import { endsWithin } from './ends-within.ts';
import { assertNothingLeaked, captureDatabase } from './leak-watch.ts';
import { assertLockOrder } from './lock-order.ts';

/** If dropping takes longer, the database stays until its server ends at the end of the run. */
const DROPPED_WITHIN_MS = 20_000;

export type TestDatabase = { url: string; drop: () => Promise<void> };

export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${inject('databaseTemplate')} strategy file_copy`);

/** Returns the settings that a service needs on the servers of this run (docs/performance.md). */
export const databaseSettings = (): NodeJS.ProcessEnv =>
  inject('databaseServers').length > 1 ? distributedSettings : {};

/** Creates a database without a schema, for tests that create their own. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await createDatabase('');
  const servers = inject('databaseServers');
  if (servers.length > 1) await connectServers(servers, new URL(database.url).pathname.slice(1));
  return database;
}

async function createDatabase(how: string): Promise<TestDatabase> {
  const servers = inject('databaseServers');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onEach(servers, `create database ${name} ${how}`);
  const url = databaseAt(inject('databaseServerUrl'), name);
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
          onEach(servers, `drop database if exists ${name} with (force)`),
        );
      }
    },
  };
}
