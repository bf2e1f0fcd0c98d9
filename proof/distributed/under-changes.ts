// Users begin on the coordinator alone, whose filled tables are then distributed. They pay at a fixed rate while a column and an index
// are added, shards move, operators do all their work, and servers stop, start again, or have another clock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { distributeDatabase, query } from '../../harness/database/query.ts';
import { seconds } from '../../harness/report.ts';
import { distributedSettings } from '../../harness/stack/settings.ts';
import type { ClientOrder } from '../audit/evidence.ts';
import { payAtRate } from '../failover/pay-at-rate.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Counts, createCounts } from '../stack/counts.ts';
import { gather, type Person, withMoney } from '../stack/people.ts';
import { auditAtRest, quiesce, violationsIn } from '../stack/quiesce.ts';
import { type RunDatabase, type Stack, startStack } from '../stack/stack.ts';
import { type Keys, workAsOperators } from './operators-work.ts';
import type { Commands, Options } from './options.ts';

export type Outcome = { rows: string[][]; violations: string[] };
type Stage = Options & { say: (what: string) => void };

const LOOK_EVERY_MS = 100;
/** The payments that tables have before they are distributed. */
const FIRST_PAYMENTS = 10;
const CLOCK_ROW = 'A worker’s clock is two hours ahead';
const CLOCK_AHEAD_SECONDS = 7_000;
/** How long a server stays down. */
const DOWN_MS = 20_000;
/** A process notices the end of its connections, and its circuits settle. */
const NOTICED_AFTER_MS = 3_000;
const PROBE_WITHIN_MS = 15_000;
/** A cluster on one machine makes about two payments a second. */
const ACCEPTED_WITHIN_MS = 40 * 60_000;

/** @param stage its database has its tables, and no table has its place. */
export async function payUnderChanges(stage: Stage, folder: string, atEnd: AtEnd): Promise<Outcome> {
  const { url, say } = stage;
  let keys: Keys | null = null;
  const started = await startStack(
    folder,
    {
      processes: 2,
      startDatabase: async () => ({ url }),
      settings: distributedSettings,
      envOf: () => keys ?? {},
    },
    atEnd,
  );
  const stack = { ...started, environment: () => ({ ...started.environment(), ...keys }) };
  const counts = createCounts();
  const { urls, sandboxUrl, shown, orders } = stack;
  say('people join, on the coordinator alone');
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, stage.users));
  // From its next start on, the second process makes payments in two conversions.
  stack.turnTwoHopOn();

  say('people pay');
  let isQuiet = false;
  const begunAt = Date.now();
  const workload = { counts, orders, isQuiet: () => isQuiet };
  // A cluster on a busy machine is slower than the rate. Each user then waits for an answer.
  const paying = payAtRate(workload, people, stage.paymentsPerSecond, people.length);
  await accepted(counts, FIRST_PAYMENTS);
  const distributed = await whileStopped(stack, async () => {
    say('the filled tables are distributed');
    const beganAt = Date.now();
    return `${await distributeDatabase(url)} tables in ${seconds(Date.now() - beganAt)}`;
  });
  const changes = await changeWhilePaying(stage, { stack, people, counts });
  say('operators work');
  const work = await workAsOperators(stack, people, (next) =>
    whileStopped(stack, async () => void (keys = next)),
  );
  await accepted(counts, stage.changingPayments);
  isQuiet = true;
  const failures = await paying;
  const lastedMs = Date.now() - begunAt;

  say(`${counts.accepted.payments} payments were accepted; they come to their ends`);
  const rest = await quiesce(stack, (remaining) => say(`under way: ${remaining}`));
  const findings = violationsIn(await auditAtRest(stack, people, rest));
  for (const instance of stack.instances) await instance.end();
  const answers = answersTo(orders.file);
  return {
    rows: [
      ['`db:distribute` on filled tables, with users waiting', distributed],
      ...changes.rows,
      [
        'Commands of operators and nightly jobs',
        `${work.done.length} done, ${work.violations.length} failed`,
      ],
      ['Payments accepted meanwhile', `${counts.accepted.payments} in ${seconds(lastedMs)}`],
      ['Answers to confirmations, repetitions included', describeCounts(answers)],
      [
        'After the changes',
        findings.length === 0 ? 'the auditor found nothing' : `${findings.length} violations`,
      ],
    ],
    violations: [
      ...changes.violations,
      ...work.violations,
      ...findings,
      // The auditor knows whether a refusal had a reason.
      ...failures.filter((what) => !/answered 4/.test(what)).map((what) => `a client: ${what}`),
      ...Object.keys(answers)
        .filter((status) => status.startsWith('5') && status !== '503')
        .map((status) => `a confirmation was answered ${status}`),
    ],
  };
}

/** Stops every process in order, so that none is registered any more, and starts them again after the change. */
async function whileStopped<Result>(
  { instances }: Stack<RunDatabase>,
  change: () => Promise<Result>,
): Promise<Result> {
  const { promise: changed, resolve } = Promise.withResolvers<undefined>();
  try {
    await Promise.all(instances.map((instance) => instance.rest(changed)));
    return await change();
  } finally {
    resolve(undefined);
    await Promise.all(instances.map((instance) => instance.ready()));
  }
}

type Running = { stack: Stack<RunDatabase>; people: Person[]; counts: Counts };

async function changeWhilePaying(stage: Stage, running: Running): Promise<Outcome> {
  const { counts } = running;
  const rows: string[][] = [];
  const violations: string[] = [];
  const timed = async (name: string, change: () => Promise<unknown>): Promise<void> => {
    await accepted(counts, counts.accepted.payments + stage.paymentsPerSecond * 5);
    stage.say(name);
    const began = Date.now();
    await change();
    rows.push([name, seconds(Date.now() - began)]);
  };
  for (const [name, statement] of schemaChanges) await timed(name, () => query(stage.url, statement));
  await timed('Three shards of users move to another server', () => moveShards(stage.url));
  await timed('The rebalancer moves them back', () => rebalance(stage.url));
  for (const outage of stage.outages) {
    await accepted(counts, counts.accepted.payments + stage.paymentsPerSecond * 5);
    stage.say(outage.begin);
    const { row, wrong } = await goWithout(outage, stage, running);
    rows.push(row);
    violations.push(...wrong);
  }
  if (stage.outages.length === 0) rows.push(['A server is down', 'not tried: no --down and --up']);
  if (stage.clock === null) rows.push([CLOCK_ROW, 'not tried: no --ahead and --back']);
  else {
    stage.say(stage.clock.begin);
    rows.push([CLOCK_ROW, await payWithClockAhead(stage.clock, stage, counts, violations)]);
  }
  return { rows, violations };
}

const schemaChanges: [name: string, statement: string][] = [
  ['A column is added to payments', 'alter table pix_payments add column tried text'],
  ['An index is added to payments', 'create index concurrently pix_payments_tried on pix_payments (tried)'],
  ['Both are removed', 'alter table pix_payments drop column tried'],
];

/** Moves the shards of some users, with everything that is stored beside them. */
async function moveShards(url: string): Promise<void> {
  const moves = await query<{ shard: string; from: string[]; to: string[] }>(
    url,
    `select shardid as shard, array[nodename, nodeport::text] as from, array[node_name, node_port::text] as to
     from citus_shards join citus_get_active_worker_nodes() on (node_name, node_port) <> (nodename, nodeport)
     where table_name = 'users'::regclass order by shardid limit 3`,
  );
  for (const { shard, from, to } of moves)
    await query(url, 'select citus_move_shard_placement($1, $2, $3::int, $4, $5::int)', [
      shard,
      ...from,
      ...to,
    ]);
}

async function rebalance(url: string): Promise<void> {
  await query(url, 'select citus_rebalance_start()');
  await query(url, 'select citus_rebalance_wait()');
}

/** Stops a server for a while. @returns what its users and the others saw, and what they should not have seen. */
async function goWithout(
  { begin, end }: Commands,
  { url }: Stage,
  { stack, people, counts }: Running,
): Promise<{ row: string[]; wrong: string[] }> {
  // A user's data key may be on another server than their rows, and a process reads it unless it has it in memory.
  const servers = new Map<string, { rows: string; key: string }>();
  for (const { id } of people)
    servers.set(id, { rows: await serverOf(url, 'users', id), key: await serverOf(url, 'data_keys', id) });
  await shell(begin);
  await pause(NOTICED_AFTER_MS);
  const isCoordinatorUp = await query(url, 'select').then(
    () => true,
    () => false,
  );
  const lost = await lostOf(url, [...new Set([...servers.values()].map(({ rows }) => rows))]);
  const isLost = (server = ''): boolean => lost.has(server);
  const seen: Record<'lost' | 'withoutKey' | 'others', Record<string, number>> = {
    lost: {},
    withoutKey: {},
    others: {},
  };
  const until = Date.now() + DOWN_MS;
  while (Date.now() < until)
    for (const person of people) {
      if (Date.now() > until) break;
      const { rows, key } = servers.get(person.id) ?? {};
      const side = isLost(rows) ? seen.lost : isLost(key) ? seen.withoutKey : seen.others;
      for (const status of await probe(stack, person)) side[status] = (side[status] ?? 0) + 1;
    }
  await shell(end);
  const upAt = Date.now();
  await accepted(counts, counts.accepted.payments + 1);
  return {
    row: [
      `${isCoordinatorUp ? 'A worker' : 'The coordinator'} is down for ${seconds(DOWN_MS)}`,
      `its users: ${describeCounts(seen.lost)}; users of whom it has only the data key: ${describeCounts(seen.withoutKey)}; the others: ${describeCounts(seen.others)}; payments are accepted ${seconds(Date.now() - upAt)} after its start`,
    ],
    wrong: [
      ...(seen.lost['503'] ? [] : [`nobody got 503 while a server was down: does "${begin}" stop one?`]),
      ...[...Object.keys(seen.lost), ...Object.keys(seen.withoutKey)]
        .filter((status) => status !== '503' && !status.startsWith('2'))
        .map((status) => `a user of the lost server got ${status}`),
      ...Object.keys(seen.others)
        .filter((status) => !status.startsWith('2'))
        .map((status) => `a user of another server got ${status}`),
    ],
  };
}

/** Lets users pay while the clock of a worker is ahead. @returns how many payments were accepted meanwhile. */
async function payWithClockAhead(
  { begin, end }: Commands,
  { url, paymentsPerSecond }: Stage,
  counts: Counts,
  violations: string[],
): Promise<string> {
  await shell(begin);
  const [clocks] = await query<{ ahead: number }>(
    url,
    `select max(extract(epoch from result::timestamptz - clock_timestamp()))::float8 as ahead
     from run_command_on_workers('select clock_timestamp()')`,
  );
  const ahead = clocks?.ahead ?? 0;
  if (ahead < CLOCK_AHEAD_SECONDS) violations.push(`no clock of a worker is two hours ahead, but ${ahead} s`);
  const before = counts.accepted.payments;
  await accepted(counts, before + paymentsPerSecond * 20);
  await shell(end);
  return `${counts.accepted.payments - before} payments accepted meanwhile`;
}

/** Returns the worker with a user's rows, as `host:port`. */
async function serverOf(url: string, table: 'users' | 'data_keys', userId: string): Promise<string> {
  const [row] = await query<{ server: string }>(
    url,
    `select nodename || ':' || nodeport as server from citus_shards
     where table_name = $1::regclass and shardid = get_shard_id_for_distribution_column($1::regclass, $2::text)`,
    [table, userId],
  );
  return row?.server ?? '';
}

/** Returns the workers that the coordinator does not reach: all of them if the coordinator itself does not answer. */
async function lostOf(url: string, servers: string[]): Promise<Set<string>> {
  const lost = new Set<string>();
  for (const server of servers) {
    const [host, port] = server.split(':');
    const [row] = await query<{ isReached: boolean }>(
      url,
      'select citus_check_connection_to_node($1, $2::int) as "isReached"',
      [host, port],
    ).catch(() => []);
    if (row?.isReached !== true) lost.add(server);
  }
  return lost;
}

/** Reads a user's payments and asks for a price, once each. @returns the statuses; 0 is no answer. */
async function probe({ urls, olderSession }: Stack<RunDatabase>, { id }: Person): Promise<number[]> {
  const headers = { authorization: `Bearer ${await olderSession(id)}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit): Promise<number> => {
    const signal = AbortSignal.timeout(PROBE_WITHIN_MS);
    const answer = await fetch(`${urls[0]}${path}`, { ...init, headers, signal }).catch(() => null);
    await answer?.text();
    return answer?.status ?? 0;
  };
  return [
    await ask('/pix/payments?limit=5', {}),
    await ask('/pix/quote', { method: 'POST', body: JSON.stringify({ amountBrl: 12 }) }),
  ];
}

/** Runs a command. The connections of the processes lead through this one, so it must not wait for it. @throws Error if it fails. */
async function shell(command: string): Promise<void> {
  const [code] = await once(spawn('sh', ['-c', command], { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`"${command}" ended with ${code}`);
}

async function accepted({ accepted: done }: Counts, payments: number): Promise<void> {
  for (const began = Date.now(); done.payments < payments; await pause(LOOK_EVERY_MS))
    if (Date.now() - began > ACCEPTED_WITHIN_MS) throw new Error('payments are not accepted any more');
}

/** Counts the statuses of all tries of all confirmations. */
function answersTo(ordersFile: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(ordersFile, 'utf8').split('\n').filter(Boolean))
    for (const { status } of (JSON.parse(line) as ClientOrder).answers)
      counts[status ?? 'none'] = (counts[status ?? 'none'] ?? 0) + 1;
  return counts;
}

const describeCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, times]) => `${times} × ${status}`)
    .join(', ') || 'nobody';
