// A database for one test file: a copy of the migrated template, dropped when the file is done.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import { withDatabase } from './database.global.ts';

export type TestDatabase = { url: string; drop: () => Promise<void> };

export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${inject('databaseTemplate')}`);

/** Without any schema: for those who bring their own. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('');

async function createDatabase(how: string): Promise<TestDatabase> {
  const serverUrl = inject('databaseServerUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string): Promise<void> => {
    const admin = createPool(serverUrl, 1);
    await admin.query(sql);
    await admin.end();
  };
  await run(`create database ${name} ${how}`);
  return {
    url: withDatabase(serverUrl, name),
    drop: () => run(`drop database if exists ${name} with (force)`),
  };
}
