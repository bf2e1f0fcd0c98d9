// Restores a database to a backup. The service is stopped, its database is copied, and the service is later started on the copy.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseAt } from '../../../harness/database/query.ts';
import { noDeadlines } from '../../../src/platform/database/deadlines.ts';
import { createPool } from '../../../src/platform/database/pool.ts';
import { startWatchedService } from '../../support/watched-service.ts';
import type { World } from '../../support/world.ts';

export type Backup = {
  restore: () => Promise<void>;
  drop: () => Promise<void>;
};

/** Takes a backup while work is in progress, and then lets the service continue. */
export async function backUp(world: World): Promise<Backup> {
  const serverUrl = inject('databaseServerUrl');
  const admin = async (...statements: string[]): Promise<void> => {
    const pool = createPool(serverUrl, 1, noDeadlines);
    for (const statement of statements) await pool.query(statement);
    await pool.end();
  };
  const original = new URL(world.databaseUrl).pathname.slice(1);
  const copy = `backup_${randomBytes(6).toString('hex')}`;
  await world.service.stop();
  await admin(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${original}'`,
    `create database ${copy} template ${original}`,
  );
  await startOn(world, world.databaseUrl);
  return {
    restore: async () => {
      await world.service.stop();
      await startOn(world, databaseAt(serverUrl, copy));
    },
    drop: async () => {
      await world.service.stop();
      await admin(`drop database if exists ${copy} with (force)`);
    },
  };
}

async function startOn(world: World, databaseUrl: string): Promise<void> {
  world.service = await startWatchedService({ ...world.env, DATABASE_URL: databaseUrl }, world.clock);
}
