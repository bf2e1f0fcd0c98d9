// Restores what a former version left: its database, and the sandbox's store with the same past.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inject } from 'vitest';
import { distributeDatabase } from '../../harness/database/query.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { formerDatabase } from './fixtures.ts';

/** Restores the database with its own schema, without a process that works on it. */
export async function restoreDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const pool = createPool(database.url, 1, noDeadlines);
  await pool.query(formerDatabase.sql);
  await pool.end();
  return database;
}

export type PastSandbox = Sandbox & { folder: string };

/**
 * Starts the sandbox on the restored store.
 * @param serviceUrl where its callbacks go.
 * @param now the sandbox's clock, in milliseconds since 1970.
 */
export async function restoreSandbox(serviceUrl: string, now: () => number): Promise<PastSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-past-'));
  const store = new DatabaseSync(join(folder, 'sandbox.sqlite'));
  store.exec(formerDatabase.sandbox.replaceAll('{{service}}', serviceUrl));
  store.close();
  const sandbox = await startSandbox({ data: folder, settleMs: 0, activateMs: 0, now, log: () => undefined });
  return {
    ...sandbox,
    folder,
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs every migration of this version that the database lacks, and distributes it on a cluster. @returns the names of those that ran. */
export async function upgrade({ url }: TestDatabase): Promise<string[]> {
  const orm = await createOrm(createPool(url, 2, noDeadlines));
  const applied = await migrate(orm);
  await orm.close(true);
  if (inject('databaseServers').length > 1) await distributeDatabase(url);
  return applied;
}
