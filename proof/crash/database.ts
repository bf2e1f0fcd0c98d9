// One PostgreSQL server for the whole proof. Each world has its own database in it, copied from a migrated template.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';

export type DatabaseServer = {
  /** @returns the address of a new database with the current schema. */
  create: () => Promise<string>;
  stop: () => Promise<void>;
};

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-crash-'));
  chmodSync(folder, 0o755);
  const server = await startEmbeddedDatabase({ folder: join(folder, 'database'), keep: false });
  const admin = createPool(server.url, 1, noDeadlines);
  admin.options.connectionTimeoutMillis = 60_000;
  await admin.query('create database template_for_crashes');
  await migrateAt(at(server.url, 'template_for_crashes'));
  // Only one session at a time can copy a template.
  let queue: Promise<unknown> = Promise.resolve();
  return {
    create: async () => {
      const name = `crash_${randomBytes(6).toString('hex')}`;
      const created = queue.then(() => admin.query(`create database ${name} template template_for_crashes`));
      queue = created.catch(() => undefined);
      await created;
      return at(server.url, name);
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

async function migrateAt(url: string): Promise<void> {
  const pool = createPool(url, 2, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  await orm.close(true);
}

function at(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
