// The environment of successive runs: a database, a sandbox and one process of the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Pool } from 'pg';
import { freePort } from '../../harness/processes/free-port.ts';
import { newSecrets, sandboxSettings } from '../../harness/stack/settings.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { audit, type Finding } from '../audit/audit.ts';
import { startCallbackInjector } from './callback-injector.ts';
import type { DatabaseServer } from './database.ts';
import { type Service, startService } from './service.ts';

/** The kind of an environment: how a flow changes the service's environment. */
export type Kind = 'direct' | 'two-hop' | 'without-callbacks' | 'refused' | 'rotating';

export type CrashEnvironment = {
  kind: Kind;
  url: string;
  sandboxUrl: string;
  service: Service;
  /** The service's side of the books. */
  database: Pool;
  /** The provider's side of the books. */
  books: DatabaseSync;
  /** Compares both sides. It needs a time without work in progress. */
  audit: () => Promise<Finding[]>;
  stop: () => Promise<void>;
};

/** Long enough that a reply is processed before its callback arrives, so that every run has the same points. */
const SETTLE_MS = 250;

const settings: Record<Kind, NodeJS.ProcessEnv> = {
  direct: {},
  'two-hop': { USDC_ACCOUNTS_ENABLED: 'true' },
  // No callback reaches the service, so it finds every change by polling.
  'without-callbacks': {},
  // After a crash, a refusal is pending for minutes.
  refused: {},
  // The number of callbacks that a rotation moves depends on what else was done.
  rotating: {},
};

/**
 * Short, so that other processes resume a killed process's work soon. A process whose heartbeat is late by half of this time begins
 * nothing.
 */
const DEAD_AFTER_SECONDS = '3';

export async function startEnvironment(kind: Kind, databases: DatabaseServer): Promise<CrashEnvironment> {
  const data = mkdtempSync(join(tmpdir(), 'ponte-crash-sandbox-'));
  const [databaseUrl, sandbox, port] = await Promise.all([
    databases.create(),
    startSandbox({ data, settleMs: SETTLE_MS, activateMs: SETTLE_MS, log: () => undefined }),
    freePort(),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const callbackInjector = await startCallbackInjector(kind === 'without-callbacks' ? null : url);
  const service = startService({
    ...sandboxSettings(sandbox.url),
    ...settings[kind],
    PUBLIC_BASE_URL: callbackInjector.url,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '4',
    // The worker runs one piece of work at a time, so that points come in one order.
    WORKER_CONCURRENCY: '1',
    PROCESS_DEAD_AFTER_SECONDS: DEAD_AFTER_SECONDS,
    ...newSecrets('test'),
    LOG_LEVEL: 'error',
  });
  const database = createPool(databaseUrl, 2);
  // Many environments start concurrently, and a busy machine is not a fault of the service.
  database.options.connectionTimeoutMillis = 60_000;
  const books = new DatabaseSync(join(data, 'sandbox.sqlite'), { readOnly: true });
  return {
    kind,
    url,
    sandboxUrl: sandbox.url,
    service,
    database,
    books,
    audit: () => audit(databaseUrl, data),
    stop: async () => {
      await service.stop();
      await database.end();
      books.close();
      await sandbox.close();
      await callbackInjector.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
