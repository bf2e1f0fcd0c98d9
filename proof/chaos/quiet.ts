// After the storm: fair weather, everybody up, nobody asking. How long until nothing is under way any more?
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import { IS_ANOTHER_NIGHTS } from '../audit/ours.ts';
import type { Stack } from './stack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK_EVERY_MS = 250;
/** So long things may come to rest by themselves before reconciliation looks after the rest. */
const BY_ITSELF_MS = 25_000;
/** Longer than the auditor allows, so that it is told how long it took. */
const GIVE_UP_MS = 260_000;
/** For what arrived just before the provider fell silent; whatever is left then, the auditor names. */
const LAST_CALLBACKS_MS = 10_000;
const MOST_RUNS = 3;

export type Rest = {
  /** Nothing was under way any more before anybody looked after it; null when something was. */
  byItselfAfterMs: number | null;
  /** Runs of reconciliation: one, unless the provider was too slow to answer it all. */
  runs: number;
  reconciledInMs: number;
  /** From the beginning of quiet to the end of it all; null when it never came to rest. */
  restedAfterMs: number | null;
};

export async function comeToRest(stack: Stack, tell: (what: string) => void): Promise<Rest> {
  const begun = Date.now();
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  try {
    const byItselfAfterMs = (await rests(pool, begun, BY_ITSELF_MS, tell)) ? Date.now() - begun : null;
    const reconciling = Date.now();
    tell('reconciliation');
    const runs = await reconcile(stack);
    const reconciledInMs = Date.now() - reconciling;
    const rested = await rests(pool, begun, GIVE_UP_MS, tell);
    return { byItselfAfterMs, runs, reconciledInMs, restedAfterMs: rested ? Date.now() - begun : null };
  } finally {
    await pool.end();
  }
}

/**
 * A provider that had no answer sends its callback again for a day, and nobody says when. One that arrives between the
 * auditor's looks would be work under way: so the provider falls silent first, and what has arrived is worked off.
 */
export async function closeTheBooks(stack: Stack): Promise<void> {
  await stack.sandbox.end();
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  try {
    await rests(pool, Date.now(), LAST_CALLBACKS_MS, () => undefined);
  } finally {
    await pool.end();
  }
}

async function rests(
  pool: Pool,
  begun: number,
  withinMs: number,
  tell: (what: string) => void,
): Promise<boolean> {
  for (;;) {
    const left = await underWay(pool);
    if (left === '') return true;
    tell(left);
    if (Date.now() - begun > withinMs) return false;
    await pause(LOOK_EVERY_MS);
  }
}

/** @returns what is not at an end yet, in a few words; nothing when all is. */
async function underWay(pool: Pool): Promise<string> {
  const { rows } = await pool.query<Record<string, string>>(`
    select
      (select count(*) from pix_payments where state not in
        ('completed', 'failed', 'refunded', 'manual_review', 'payout_failed', 'conversion_failed')) as payments,
      (select count(*) from withdraws where state = 'settling') as withdraws,
      (select count(*) from provider_accounts where state <> 'active') as accounts,
      (select count(*) from effects where status in ('ordered', 'exhausted')) as effects,
      (select count(*) from webhook_events where status = 'received') as callbacks,
      (select count(*) from graphile_worker._private_jobs job
        join graphile_worker._private_tasks task on task.id = job.task_id where not (${IS_ANOTHER_NIGHTS})) as jobs`);
  return Object.entries(rows[0] ?? {})
    .filter(([, count]) => count !== '0')
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/**
 * One run of the nightly reconciliation, as an operator would start it. What the provider did not answer in time it names,
 * and leaves to the next run.
 * @returns how many runs it took.
 */
async function reconcile(stack: Stack): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const { code, output } = await operate(stack, ['reconcile', '--reason', 'after the storm']);
    if (code === 0) return runs;
    if (!output.includes('The next run tries it again') || runs === MOST_RUNS)
      throw new Error(`reconciliation ended with ${code}: ${output.slice(-2_000)}`);
  }
}

async function operate(stack: Stack, args: string[]): Promise<{ code: number | null; output: string }> {
  const output: string[] = [];
  const child = spawn(process.execPath, ['src/ops/main.ts', ...args, '--operator', 'chaos'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...stack.environment(), PROVIDER_TIMEOUT_MS: '10000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output: output.join('') };
}
