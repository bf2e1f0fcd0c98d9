// `npm run bench:payments`: direct PIX payments from quote to completed, with sandbox and database on the same machine.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { Pool } from 'undici';
import { audit } from '../../proof/audit/audit.ts';
import { freePort } from '../../scripts/embedded-database.ts';
import { startLocalStack } from '../../scripts/local-stack.ts';
import { type Load, run } from './load.ts';
import { makePayer, type Payer } from './people.ts';
import { type Part, processorSeconds } from './processes.ts';
import { forgetStatements, statementsPer } from './statements.ts';

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '100,50' },
    seconds: { type: 'string', default: '60' },
    users: { type: 'string', default: '200' },
    'warm-up': { type: 'string', default: '10' },
    processes: { type: 'string', default: 'api,worker' },
    /** Prints the cost of each statement of a payment; this costs a little itself. */
    statements: { type: 'boolean', default: false },
  },
});

/** The last payment is seen completed; the jobs of its callbacks may still be running. */
const REST_MS = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'ponte-bench-'));
chmodSync(folder, 0o755);
const stack = await startLocalStack({
  folder,
  port: await freePort(),
  sandboxPort: await freePort(),
  roles: options.processes.split(',') as ('all' | 'api' | 'worker')[],
  env: { SANDBOX_SETTLE_MS: '0', SANDBOX_ACTIVATE_MS: '0' },
  ...(options.statements && { databaseSettings: { shared_preload_libraries: 'pg_stat_statements' } }),
});
const api = new Pool(stack.url, { connections: 100 });

try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`);
  const payers: Payer[] = [];
  while (payers.length < Number(options.users)) {
    const few = Array.from({ length: 8 }, (_, n) => makePayer(stack, `p${payers.length + n}`));
    payers.push(...(await Promise.all(few)));
  }
  console.log(`${payers.length} payers`);
  const seconds = Number(options.seconds);
  const rates = options.rate.split(',').map(Number);
  await measure(payers, { ratePerSecond: rates[0] ?? 50, seconds: Number(options['warm-up']) });
  const rows = [];
  if (options.statements) await forgetStatements(stack.databaseUrl);
  for (const ratePerSecond of rates) rows.push(await measure(payers, { ratePerSecond, seconds }));
  console.table(rows);
  if (options.statements) {
    const payments = rows.reduce((sum, { completed }) => sum + Number(completed), 0);
    console.table(await statementsPer(payments, stack.databaseUrl));
  }
  if (!(await isSound())) process.exitCode = 1;
} finally {
  await api.destroy();
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(payers: Payer[], load: Load): Promise<Record<string, unknown>> {
  const before = processorSeconds();
  const begun = performance.now();
  const { ids, errors, quoteMs, createMs } = await run(api, payers, load);
  const tookMs = performance.now() - begun;
  const after = processorSeconds();
  for (const error of errors.slice(0, 5)) console.log(error);
  const completedMs = await completionTimes(ids);
  const spent = (part: Part) => round(((after[part] - before[part]) * 1_000) / Math.max(1, ids.length));
  return {
    'offered/s': load.ratePerSecond,
    'completed/s': round(completedMs.length / (Math.max(tookMs - 300, load.seconds * 1_000) / 1_000)),
    completed: completedMs.length,
    errors: errors.length,
    'median ms': round(quantile(completedMs, 0.5)),
    'p95 ms': round(quantile(completedMs, 0.95)),
    'p99 ms': round(quantile(completedMs, 0.99)),
    'quote ms': round(quantile(quoteMs, 0.5)),
    'create ms': round(quantile(createMs, 0.5)),
    'cpu api': spent('api'),
    worker: spent('worker'),
    postgres: spent('postgres'),
    sandbox: spent('sandbox'),
    load: spent('load'),
  };
}

/** Whether both sides' books agree once the system is at rest. */
async function isSound(): Promise<boolean> {
  await pause(REST_MS);
  const findings = await audit(stack.databaseUrl, join(folder, 'sandbox'));
  for (const { invariant, checked, violations } of findings)
    console.log(`${violations.length === 0 ? 'holds' : 'BROKEN'}  ${invariant} (${checked})`);
  return findings.every(({ violations }) => violations.length === 0);
}

/** Milliseconds from creation to `completed` by the service's own history. */
async function completionTimes(ids: string[]): Promise<number[]> {
  const client = new Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ ms: number }>(
    `select (extract(epoch from transition.occurred_at - payment.created_at) * 1000)::float8 as ms
     from pix_payments payment join transitions transition
       on transition.subject_kind = 'pix_payment' and transition.subject_id = payment.id and transition.to_state = 'completed'
     where payment.id = any($1)`,
    [ids],
  );
  await client.end();
  return rows.map(({ ms }) => ms);
}

function quantile(values: number[], share: number): number {
  const index = Math.min(values.length - 1, Math.floor(values.length * share));
  return values.toSorted((a, b) => a - b)[index] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
