// One PostgreSQL server for the whole proof. Each environment has its own database in it, copied from a migrated template.
import { randomBytes } from 'node:crypto';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { databaseAt, migrateDatabase } from '../../harness/database/query.ts';
import { temporaryFolderInMemory } from '../../harness/temporary-folder.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';

export type DatabaseServer = {
  /** @returns the address of a new database with the current schema. */
  create: () => Promise<string>;
  stop: () => Promise<void>;
};

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const server = await startEmbeddedDatabase({ folder: temporaryFolderInMemory('crash'), keep: false });
  // Only one session at a time can copy a template, so copies wait for the pool's connection.
  const admin = createPool(server.url, 1, noDeadlines);
  admin.options.connectionTimeoutMillis = 60_000;
  await admin.query('create database template_for_crashes');
  await migrateDatabase(databaseAt(server.url, 'template_for_crashes'));
  return {
    create: async () => {
      const name = `crash_${randomBytes(6).toString('hex')}`;
      await admin.query(`create database ${name} template template_for_crashes`);
      return databaseAt(server.url, name);
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}
