// A database for one test file: a copy of the migrated template, dropped when the file is done.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import { withDatabase } from './database.global.ts';

export type TestDatabase = { url: string; drop: () => Promise<void> };

export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('databaseServerUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string): Promise<void> => {
    const admin = createPool(serverUrl, 1);
    await admin.query(sql);
    await admin.end();
  };
  await run(`create database ${name} template ${inject('databaseTemplate')}`);
  return {
    url: withDatabase(serverUrl, name),
    drop: () => run(`drop database if exists ${name} with (force)`),
  };
}
