// The operator of a run: starts the nightly reconciliation, and takes the decisions that are reserved for a person, by the commands
// of the runbook. Decisions about money are taken after the faults, because the provider then reports the truth.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { withPool } from '../../harness/database/query.ts';
import type * as Cli from '../../ops/cli.ts';
import type * as Start from '../../ops/start.ts';
import { readNow } from '../audit/ours.ts';
import type { Counts } from './counts.ts';
import type { RunDatabase, Stack } from './stack.ts';
import { unfinished } from './under-way.ts';

const MAX_RUNS = 3;
/** A user who signs up waits for at most a quarter of an hour, and an operator reads the list of discrepancies sooner. */
const VERIFICATIONS_EVERY_MS = 60_000;
const STEP_MS = 1_000;
/** How many operators decide concurrently. */
const OPERATORS = 4;

/**
 * Runs the reconciliation until one run is complete. A run names what the provider did not answer in time and leaves it to the next
 * run.
 * @returns how many runs it took.
 */
export async function reconcile(stack: Stack<RunDatabase>): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const { code, output } = await operate(stack, ['reconciliation', 'run', '--reason', 'after the faults']);
    if (code === 0) return runs;
    if (!output.includes('The next run tries the rest again') || runs === MAX_RUNS)
      throw new Error(`reconciliation ended with ${code}: ${output.slice(-2_000)}`);
  }
}

/**
 * Decides each open discrepancy that blocks something, and stops each return that has too little BRL. A refused decision is logged,
 * and the next call repeats it. The auditor names what stays blocked.
 * @returns how many decisions succeeded.
 */
export async function decideWhatIsHeld(
  stack: Stack<RunDatabase>,
  pool: Pool,
  tell: (what: string) => void,
): Promise<number> {
  const waiting = [...(await decisions(pool)), ...(await returnsToStop(pool))];
  let decided = 0;
  const decide = async (): Promise<void> => {
    for (let args = waiting.shift(); args; args = waiting.shift()) {
      tell(`${waiting.length + 1} decisions`);
      const { code, output } = await operate(stack, [...args, '--reason', 'asked the provider']);
      if (code === 0) decided += 1;
      else tell(`${args.join(' ')}: ${output.trim()}`);
    }
  };
  await Promise.all(Array.from({ length: OPERATORS }, decide));
  return decided;
}

/** Returns the decision for each discrepancy: follow an object, or end the row whose object did not end as expected. */
async function decisions(pool: Pool): Promise<string[][]> {
  const { rows } = await pool.query<{ id: string; follow: string | null; outcome: string }>(`
    select discrepancy.id,
      case discrepancy.kind
        when 'clock_stepped_back' then discrepancy.provider_ref
        when 'twin' then coalesce(
          (select twin.provider_ref from discrepancies twin
           where twin.handle = discrepancy.handle and twin.user_id = discrepancy.user_id and twin.kind = 'twin' and twin.event like '%.completed' limit 1),
          resource.provider_ref)
      end as follow,
      case when discrepancy.subject_kind = 'pix_payment' then 'manual_review'
        when discrepancy.event like '%.completed' then 'completed' else 'failed' end as outcome
    from discrepancies discrepancy join provider_resources resource using (handle, user_id)
    where discrepancy.resolved_at is null
      and (discrepancy.kind = 'clock_stepped_back'
        or discrepancy.kind in ('twin', 'not_as_ordered') and discrepancy.subject_id in (${unfinished}))`);
  const followed = new Set(rows.flatMap(({ follow }) => follow ?? []));
  return [
    ...[...followed].map((uuid) => ['discrepancies', 'follow', uuid]),
    ...rows
      .filter(({ follow }) => follow === null)
      .map(({ id, outcome }) => ['discrepancies', 'end', id, '--as', outcome]),
  ];
}

/** Returns the command for each return that cannot continue, because a fault of the provider has taken some of its user's BRL. */
async function returnsToStop(pool: Pool): Promise<string[][]> {
  const { rows } = await pool.query<{ id: string }>(`
    select subject_id as id from effects
    where type = 'startConversion' and params ->> 'leg' = 'return' and status in ('queued', 'exhausted')
      and held_refusal is null and last_error like '%the BRL account holds less than the payment'
      and user_id in (select user_id from discrepancies)`);
  return rows.map(({ id }) => ['payments', 'stop-return', id]);
}

/**
 * Runs while the faults last. If a verification or account became final at an earlier time than its last snapshot, it waits for an
 * operator, and so does its user. If the provider does not answer, the operator tries again.
 */
export function followVerifications(stack: Stack, isOver: () => boolean): Promise<void> {
  return withPool(stack.database.url, async (pool) => {
    const waiting = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ ref: string }>(
        `select distinct provider_ref as ref from discrepancies
         where kind = 'clock_stepped_back' and resolved_at is null and subject_kind in ('kyc', 'provider_account')`,
      );
      return rows.map(({ ref }) => ref);
    };
    for (let waitedMs = 0; !isOver(); waitedMs = (waitedMs + STEP_MS) % VERIFICATIONS_EVERY_MS) {
      // While the database is stopped, nothing can be followed. The next round follows the rest.
      const refs = waitedMs === 0 ? await waiting().catch(() => []) : [];
      for (const uuid of refs)
        await operate(stack, ['discrepancies', 'follow', uuid, '--reason', 'asked the provider']);
      await pause(STEP_MS);
    }
  });
}

/**
 * Runs while the faults last: returns the money of failed payouts, as if they had failed more than a day ago. Some of them are
 * retried by their user at the same time. A return that is refused or unanswered is not tried again.
 */
export function returnFailedPayouts(stack: Stack, counts: Counts, isOver: () => boolean): Promise<void> {
  return withPool(stack.database.url, async (pool) => {
    for (; !isOver(); await pause(STEP_MS)) {
      // While the database is stopped, nothing can be backdated.
      for (const id of await backdateFailedPayouts(pool).catch(() => [])) {
        const command = ['payments', 'return', id, '--subsidy-cap-bps', '1000', '--reason', 'a dead key'];
        if ((await operate(stack, command)).code === 0) counts.returns += 1;
      }
    }
  });
}

/** Runs while the faults last: converts the parts of payouts that came back. A conversion that is refused or fails is tried again. */
export function convertParts(stack: Stack, counts: Counts, isOver: () => boolean): Promise<void> {
  return withPool(stack.database.url, async (pool) => {
    for (; !isOver(); await pause(STEP_MS)) {
      const waiting = await pool
        .query<{ payment: string; movement: string }>(
          `select payment_id as payment, movement_ref as movement from payout_refunds
           where state = 'waiting' and random() < 0.5 limit 3`,
        )
        .catch(() => ({ rows: [] }));
      for (const { payment, movement } of waiting.rows) {
        const command = ['payments', 'return', payment, '--partial', movement, '--reason', 'contested'];
        if ((await operate(stack, command)).code === 0) counts.parts += 1;
      }
    }
  });
}

/** Makes some failed payouts a day older, each of them once. @returns their ids. */
async function backdateFailedPayouts(pool: Pool): Promise<string[]> {
  const { rows: failed } = await pool.query<{ id: string; userId: string }>(
    `select id, user_id as "userId" from pix_payments
     where state = 'payout_failed' and state_entered_at > $1::timestamptz - interval '12 hours' and random() < 0.3
     limit 3`,
    [await readNow(pool)],
  );
  const backdated: string[] = [];
  for (const { id, userId } of failed) if (await backdate(pool, id, userId)) backdated.push(id);
  return backdated;
}

/** @returns whether the payout had still failed. */
async function backdate(pool: Pool, id: string, userId: string): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(
      `update pix_payments set state_entered_at = ${dayBefore('state_entered_at')}
       where id = $1 and user_id = $2 and state = 'payout_failed'`,
      [id, userId],
    );
    if (rowCount)
      await client.query(
        `update transitions set recorded_at = ${dayBefore('recorded_at')} where subject_id = $1 and user_id = $2`,
        [id, userId],
      );
    await client.query('commit');
    return Boolean(rowCount);
  } finally {
    // A transaction that was not committed ends with its connection.
    client.release(true);
  }
}

/** The difference does not depend on the session's time zone, so that a cluster accepts it. */
const dayBefore = (column: string): string =>
  `(${column} at time zone 'utc' - interval '25 hours') at time zone 'utc'`;

/**
 * Runs a command of the command line in this process: a process for each of hundreds of decisions would take most of the run. The
 * database and the provider have the same settings as for the service.
 * @param who the operator, and the line that the command reads from its standard input.
 * @returns `result`, the command's standard output; `output` has its notes and progress as well.
 */
export async function operate(
  stack: Pick<Stack<RunDatabase>, 'environment' | 'serviceFolder'>,
  args: string[],
  { operator: name = 'chaos', input = '' }: { operator?: string; input?: string } = {},
): Promise<{ code: number; output: string; result: string }> {
  let output = '';
  let result = '';
  const out = { write: (text: string) => ((result += text), (output += text)) };
  const err = { write: (text: string) => (output += text) };
  const { runOps, startOps } = await operationsOf(stack);
  // A view has no operator. A change has one, and a reason.
  const operator = args.includes('--reason') ? ['--operator', name] : [];
  const code = await runOps([...args, ...operator], {
    env: { ...stack.environment(), PROVIDER_TIMEOUT_MS: '10000' },
    out,
    err,
    signal: new AbortController().signal,
    readLine: async () => input,
    start: startOps,
  }).catch((error: unknown) => {
    // This corresponds to a process that ends with an unforeseen error: the decision is not made, and the run continues.
    output += String(error);
    return 1;
  });
  return { code, output, result };
}

/** The command line of the project whose service runs. */
async function operationsOf({ serviceFolder }: Pick<Stack<RunDatabase>, 'serviceFolder'>) {
  const load = (module: string): Promise<unknown> => import(pathToFileURL(join(serviceFolder, module)).href);
  const { runOps } = (await load('ops/cli.ts')) as typeof Cli;
  const { startOps } = (await load('ops/start.ts')) as typeof Start;
  return { runOps, startOps };
}
