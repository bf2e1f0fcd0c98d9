// `npm run bench:payments -- --capacity`: the resources that a payment takes, and those of higher rates. Rates up to the last
// measured one are measured; higher ones are computed from it.
import { markdownTable } from '../../harness/report.ts';
import type { Contender } from './contender.ts';
import { connectionsOf, type StoredTable, storedTables } from './database.ts';
import { type Figures, measure } from './measure.ts';

/** The share of a processor that a process may use. Above it, waiting times grow. */
const HIGHEST_USE = 0.7;
const SECONDS_A_DAY = 86_400;
const GIB = 2 ** 30;

type Measured = Figures & { ratePerSecond: number; connections: number; tables: StoredTable[] };

/** @param computed the rates that this machine does not hold. */
export async function capacity(
  one: Contender,
  rates: number[],
  computed: number[],
  seconds: number,
): Promise<{ text: string; errors: string[] }> {
  const { databaseUrl } = one.stack;
  const measured: Measured[] = [];
  for (const ratePerSecond of rates) {
    const before = await storedTables(databaseUrl);
    const figures = await measure(one, { ratePerSecond, seconds });
    const connections = await connectionsOf(databaseUrl);
    const tables = growth(before, await storedTables(databaseUrl), figures.completed);
    measured.push({ ...figures, ratePerSecond, connections, tables });
  }
  const highest = measured.at(-1) as Measured;
  const columns = [
    ...measured.map((row) => ({ kind: 'measured', row })),
    ...computed.map((ratePerSecond) => ({ kind: 'computed', row: { ...highest, ratePerSecond } })),
  ];
  const heads = ['Payments a second', ...columns.map(({ row, kind }) => `${row.ratePerSecond} (${kind})`)];
  const rows = figures.map(({ head, valueOf }) => [
    head,
    ...columns.map(({ row, kind }) => valueOf(row, kind === 'computed')),
  ]);
  return {
    text: markdownTable(heads, rows),
    errors: measured.flatMap(({ errors }) => errors),
  };
}

/** The rows and bytes that each table gained for one payment. */
export function growth(before: StoredTable[], after: StoredTable[], payments: number): StoredTable[] {
  const former = new Map(before.map((table) => [table.name, table]));
  return after.map(({ name, rows, bytes }) => ({
    name,
    rows: (rows - (former.get(name)?.rows ?? 0)) / Math.max(1, payments),
    bytes: (bytes - (former.get(name)?.bytes ?? 0)) / Math.max(1, payments),
  }));
}

const serviceMs = ({ processorMs: { api, worker } }: Figures): number => api + worker;
const processors = (ms: number, ratePerSecond: number): number => (ms * ratePerSecond) / 1_000;
const sum = (tables: StoredTable[], of: 'rows' | 'bytes'): number =>
  tables.reduce((total, table) => total + table[of], 0);
const processes = (row: Measured): number =>
  Math.max(2, Math.ceil(processors(serviceMs(row), row.ratePerSecond) / HIGHEST_USE));

const figures: { head: string; valueOf: (row: Measured, isComputed: boolean) => string }[] = [
  {
    head: 'median, 99 %',
    valueOf: (row, isComputed) =>
      isComputed ? '' : `${row.medianMs.toFixed(0)} ms, ${row.p99Ms.toFixed(0)} ms`,
  },
  {
    head: 'processors, service',
    valueOf: (row) => processors(serviceMs(row), row.ratePerSecond).toFixed(2),
  },
  {
    head: 'processors, PostgreSQL',
    valueOf: (row) => processors(row.processorMs.postgres, row.ratePerSecond).toFixed(2),
  },
  { head: 'processes that this needs', valueOf: (row) => String(processes(row)) },
  {
    head: 'connections',
    valueOf: (row, isComputed) => String(row.connections * (isComputed ? processes(row) : 1)),
  },
  { head: 'commits a second', valueOf: (row) => (row.commits * row.ratePerSecond).toFixed(0) },
  {
    head: 'write-ahead log, MB a second',
    valueOf: (row) => ((row.logBytes * row.ratePerSecond) / 1e6).toFixed(1),
  },
  {
    head: 'rows a day, millions',
    valueOf: (row) => ((sum(row.tables, 'rows') * row.ratePerSecond * SECONDS_A_DAY) / 1e6).toFixed(1),
  },
  {
    head: 'tables and indexes, GiB a day',
    valueOf: (row) => ((sum(row.tables, 'bytes') * row.ratePerSecond * SECONDS_A_DAY) / GIB).toFixed(1),
  },
];
