// `npm run bench:payments -- --planner`: what one payment and one idle account cost: rows, bytes, log, processor time, calls and callbacks.
import { setTimeout as pause } from 'node:timers/promises';
import { createPerson, openAccount, signIn } from '../../harness/people/person.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { markdownTable } from '../../harness/report.ts';
import { OBJECTS_OF_A_PAGE, shareOfNight } from '../../src/jobs/reconciliation/windows.ts';
import { SLICES_OF_A_PROCESS } from '../../src/tables/job-runs/work.ts';
import { type Cost, costBetween, measureHashing, measureNight } from './by-hand.ts';
import { growth } from './capacity.ts';
import type { Contender, Entrant } from './contender.ts';
import { logPosition, type StoredTable, storedTables, writtenBetween } from './database.ts';
import { run } from './load.ts';
import { processorSeconds } from './processes.ts';

/** Rows that are deleted 90 days after they are done. Those of the other tables stay until six years after their account was closed. */
const REMOVED_AFTER_90_DAYS = /^(?:effects|idempotency_keys|webhook_payloads_\d\d)$/;
/**
 * A night lists a payout and a transfer, and lists them again after a week and after a month. It lists the movements of a payment once. A
 * movement counts as much as the others.
 */
const LISTED = { objects: 3 * 2, movements: 4 };
/** For the share of the accounts that a night scans. */
const MANY_ACCOUNTS = 6_000_000;
/** Idle sessions of PostgreSQL report the rows that they wrote within ten seconds. */
const REST_MS = 12_000;
const KIB = 1_024;
const SECONDS_A_DAY = 86_400;
const HOUR_MS = 3_600_000;
/** How long a provider may take for a page of a list. The sandbox is faster. */
const PAGE_MS = 150;

type Totals = Cost & { tables: StoredTable[]; log: string; calls: number; logBytes: number };
type Each = Cost & { tables: StoredTable[]; walBytes: number; calls: number; logBytes: number };

/**
 * Adds what the planner reads to an entrant: its page of metrics, and the length of its log at the usual level. One process does
 * everything, because two cannot have one page.
 */
export async function planned(entrant: Entrant): Promise<{ entrant: Entrant; plan: Planner }> {
  const metricsPort = await freePort();
  let written = 0;
  return {
    entrant: {
      ...entrant,
      roles: ['all'],
      env: { ...entrant.env, LOG_LEVEL: 'info', METRICS_PORT: String(metricsPort) },
      onServiceOutput: (chunk) => {
        written += chunk.length;
      },
    },
    plan: (one, load) => plan(one, load, { metricsPort, logBytes: () => written }),
  };
}

type Source = { metricsPort: number; logBytes: () => number };
type Load = { ratePerSecond: number; seconds: number };
export type Planner = (one: Contender, load: Load) => Promise<{ text: string; errors: string[] }>;

async function plan(one: Contender, load: Load, source: Source): Promise<{ text: string; errors: string[] }> {
  const begun = await totals(one, source);
  for (let made = 0; made < one.payers.length; made += 1) {
    const person = createPerson(one.stack);
    await signIn(person);
    await openAccount(person);
  }
  await pause(REST_MS);
  const opened = await totals(one, source);
  const idleNight = await measureNight(one);
  const before = await totals(one, source);
  const { ids, errors } = await run(one.api, one.payers, load);
  await pause(REST_MS);
  const paid = await totals(one, source);
  const night = await measureNight(one);
  const hashing = await measureHashing(one);
  const account = await difference(one, begun, opened, one.payers.length);
  const payment = await difference(one, before, paid, ids.length);
  return {
    text: [
      planTable(payment, account, {
        payment: times(night.object, LISTED.objects + LISTED.movements),
        account: times(idleNight.account, shareOfNight(MANY_ACCOUNTS).accounts / MANY_ACCOUNTS),
      }),
      `${ids.length} payments. A night spends ${total(night.object).toFixed(2)} ms on an object of a list and ${total(idleNight.account).toFixed(2)} ms on an account.`,
      `A new SEARCH_KEY costs ${total(hashing).toFixed(2)} ms a value (\`keys rotate\`, ${hashing.values} values).`,
      nightsTable(night.object),
      tablesOf(payment, account),
    ].join('\n\n'),
    errors,
  };
}

async function totals({ folder, stack }: Contender, source: Source): Promise<Totals> {
  const page = await (await fetch(`http://127.0.0.1:${source.metricsPort}/metrics`)).text();
  const calls = [...page.matchAll(/^ponte_provider_calls_total\{.*\} (\d+)$/gm)];
  const { api, worker, postgres } = processorSeconds(folder);
  return {
    tables: await storedTables(stack.databaseUrl),
    log: await logPosition(stack.databaseUrl),
    calls: calls.reduce((sum, [, count]) => sum + Number(count), 0),
    logBytes: source.logBytes(),
    serviceMs: (api + worker) * 1_000,
    postgresMs: postgres * 1_000,
  };
}

async function difference(one: Contender, from: Totals, to: Totals, count: number): Promise<Each> {
  const { bytes } = await writtenBetween(one.stack.databaseUrl, from.log, to.log);
  return {
    tables: growth(from.tables, to.tables, count),
    walBytes: bytes / count,
    calls: (to.calls - from.calls) / count,
    logBytes: (to.logBytes - from.logBytes) / count,
    ...times(costBetween(from, to), 1 / count),
  };
}

const times = ({ serviceMs, postgresMs }: Cost, factor: number): Cost => ({
  serviceMs: serviceMs * factor,
  postgresMs: postgresMs * factor,
});
const total = ({ serviceMs, postgresMs }: Cost): number => serviceMs + postgresMs;

const sumOf = (tables: StoredTable[], of: 'rows' | 'bytes', isKept?: boolean): number =>
  tables
    .filter(({ name }) => !isKept || !REMOVED_AFTER_90_DAYS.test(name))
    .reduce((sum, table) => sum + table[of], 0);

function planTable(payment: Each, account: Each, night: { payment: Cost; account: Cost }): string {
  const row = (head: string, valueOf: (one: Each) => string): string[] => [
    head,
    valueOf(payment),
    valueOf(account),
  ];
  const callbacks = ({ tables }: Each): number =>
    tables.find(({ name }) => name === 'webhook_events')?.rows ?? 0;
  return markdownTable(
    ['', 'a payment', 'an idle account'],
    [
      row('rows at first', ({ tables }) => sumOf(tables, 'rows').toFixed(1)),
      row('rows after 90 days, for six years', ({ tables }) => sumOf(tables, 'rows', true).toFixed(1)),
      row('KiB with indexes at first', ({ tables }) => (sumOf(tables, 'bytes') / KIB).toFixed(1)),
      row('KiB after 90 days, for six years', ({ tables }) =>
        (sumOf(tables, 'bytes', true) / KIB).toFixed(1),
      ),
      row('KiB of write-ahead log', ({ walBytes }) => (walBytes / KIB).toFixed(1)),
      row('ms of processor time, service', ({ serviceMs }) => serviceMs.toFixed(1)),
      row('ms of processor time, PostgreSQL', ({ postgresMs }) => postgresMs.toFixed(1)),
      [
        'ms of the nights after it',
        total(night.payment).toFixed(1),
        `${total(night.account).toFixed(2)} a night`,
      ],
      row('calls to the provider', ({ calls }) => calls.toFixed(1)),
      row('callbacks', (one) => callbacks(one).toFixed(1)),
      row('bytes of log (LOG_LEVEL=info)', ({ logBytes }) => logBytes.toFixed(0)),
    ],
  );
}

/** Computed. The slices of a night wait for the provider concurrently, and share the processor of their process. */
function nightsTable({ serviceMs, postgresMs }: Cost): string {
  const rows = [10, 100, 1_000].map((rate) => {
    const objects = rate * SECONDS_A_DAY * (LISTED.objects + LISTED.movements);
    const waitingMs = (objects / OBJECTS_OF_A_PAGE / SLICES_OF_A_PROCESS) * PAGE_MS;
    const hours = [waitingMs, objects * serviceMs, objects * postgresMs];
    return [`${rate} payments a second`, ...hours.map((ms) => (ms / HOUR_MS).toFixed(1))];
  });
  return markdownTable(
    ['The night of one process', 'h for the provider', 'h of its processor', 'h of PostgreSQL'],
    rows,
  );
}

function tablesOf(payment: Each, account: Each): string {
  const idle = new Map(account.tables.map((table) => [table.name, table]));
  const rows = payment.tables.flatMap((table) => {
    const other = idle.get(table.name);
    if (Math.max(table.rows, other?.rows ?? 0) < 0.05) return [];
    const cells = [table, other].flatMap((one) => [
      (one?.rows ?? 0).toFixed(1),
      ((one?.bytes ?? 0) / KIB).toFixed(2),
    ]);
    return [[`\`${table.name}\``, ...cells]];
  });
  return markdownTable(['Stored for', 'payment: rows', 'KiB', 'account: rows', 'KiB'], rows);
}
