// `npm run try:pooler`: runs the demo's journey three times concurrently, with PgBouncer in transaction mode between two processes
// of the service and an embedded database. PgBouncer has fewer connections to the server than the service has to PgBouncer.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LocalStack } from '../../harness/stack/local-stack.ts';
import { startTemporaryStack } from '../../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { setRoleDeadlines } from '../../src/tables/schema/role-deadlines.ts';
import { onceToEnd } from '../ending.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from './pgbouncer.ts';

const JOURNEYS = 3;

let stack: LocalStack | null = null;
let pgBouncer: PgBouncer | null = null;

async function stopAll(): Promise<void> {
  await stack?.stop();
  await pgBouncer?.stop();
}

async function main(program: string): Promise<boolean> {
  const folder = temporaryFolder('pooler');
  stack = await startTemporaryStack(folder, {
    roles: ['api', 'worker'],
    envOf: async (_role, databaseUrl) => {
      await setDeadlines(databaseUrl);
      pgBouncer ??= await startPgBouncer({ program, databaseUrl, folder });
      return { DATABASE_URL: pgBouncer.url, DATABASE_POOLER: 'transaction' };
    },
  });
  const { url, sandboxUrl } = stack;
  const codes = await Promise.all(Array.from({ length: JOURNEYS }, () => journey({ url, sandboxUrl })));
  console.log(`\npgbouncer: ${await pgBouncer?.summary()}`);
  const failed = codes.filter((code) => code !== 0).length;
  console.log(`pooler: ${JOURNEYS - failed} passed, ${failed} failed`);
  return failed === 0;
}

async function setDeadlines(databaseUrl: string): Promise<void> {
  const pool = createPool(databaseUrl, 1, noDeadlines);
  await setRoleDeadlines(pool, new URL(databaseUrl).username);
  await pool.end();
}

function journey({ url, sandboxUrl }: { url: string; sandboxUrl: string }): Promise<number | null> {
  const demo = fileURLToPath(new URL('../demo.ts', import.meta.url));
  const child = spawn(process.execPath, [demo], {
    env: { ...process.env, PONTE_URL: url, SANDBOX_URL: sandboxUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

const program = findPgBouncer();
if (program === null) {
  console.error(
    'There is no pgbouncer on the PATH: install it (Debian: apt-get install pgbouncer), or set PGBOUNCER to its path.',
  );
  process.exit(1);
}
onceToEnd(() => void stopAll().finally(() => process.exit(1)));
try {
  const passed = await main(program);
  await stopAll();
  process.exit(passed ? 0 : 1);
} catch (error) {
  await stopAll();
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
