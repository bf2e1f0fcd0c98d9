// Formats the figures of payments as tables.
import { markdownTable, median } from '../../harness/report.ts';
import type { Figures } from './measure.ts';

export function aloneRow(row: Figures & { ratePerSecond: number }): Record<string, number> {
  const { processorMs } = row;
  return {
    'offered/s': row.ratePerSecond,
    'completed/s': round(row.completedPerSecond),
    completed: row.completed,
    refused: row.refused,
    errors: row.errors.length,
    'median ms': round(row.medianMs),
    'p95 ms': round(row.p95Ms),
    'p99 ms': round(row.p99Ms),
    'quote ms': round(row.quoteMs),
    'create ms': round(row.createMs),
    'cpu api': round(processorMs.api),
    worker: round(processorMs.worker),
    postgres: round(processorMs.postgres),
    sandbox: round(processorMs.sandbox),
    load: round(processorMs.load),
    commits: round(row.commits),
    'wal KiB': round(row.logBytes / 1_024),
  };
}

export function roundRow(round: number, name: string, row: Figures): string {
  const cells = columns.map(({ head, valueOf }) => `${head} ${valueOf(row).toFixed(1)}`);
  return `round ${round}, ${name}: ${cells.join(', ')}`;
}

/** The measurements of one contender. `statements` is the number per payment. */
export type Measured = { name: string; rounds: Figures[]; statements: number };

/** The medians of the rounds, and the first contender's cost divided by each other's, round by round. */
export function comparison(measured: Measured[]): string {
  const heads = ['Per payment, median of the rounds', ...columns.map(({ head }) => head), 'statements'];
  const rows = measured.map(({ name, rounds, statements }) => [
    name,
    ...columns.map(({ valueOf }) => median(rounds.map(valueOf)).toFixed(1)),
    statements.toFixed(1),
  ]);
  const [ours, ...others] = measured;
  const ratios = others.flatMap((other) =>
    ratioKinds.map(({ head, valueOf }) => {
      const values = other.rounds.map((row, at) => valueOf(ours?.rounds[at] as Figures) / valueOf(row));
      const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
      return [`${head}: ${ours?.name} / ${other.name}`, median(values).toFixed(2), range];
    }),
  );
  const ratioHeads = ['Processor time', 'Ratio', 'of the rounds'];
  return `${markdownTable(heads, rows)}\n\n${markdownTable(ratioHeads, ratios)}`;
}

const ofService = ({ processorMs: { api, worker } }: Figures): number => api + worker;

const columns: { head: string; valueOf: (row: Figures) => number }[] = [
  { head: 'a second', valueOf: ({ completedPerSecond }) => completedPerSecond },
  { head: 'median ms', valueOf: ({ medianMs }) => medianMs },
  { head: '99 % ms', valueOf: ({ p99Ms }) => p99Ms },
  { head: 'service ms', valueOf: ofService },
  { head: 'PostgreSQL ms', valueOf: ({ processorMs }) => processorMs.postgres },
  { head: 'sandbox ms', valueOf: ({ processorMs }) => processorMs.sandbox },
  { head: 'load ms', valueOf: ({ processorMs }) => processorMs.load },
  { head: 'commits', valueOf: ({ commits }) => commits },
  { head: 'log KiB', valueOf: ({ logBytes }) => logBytes / 1_024 },
];

const ratioKinds: typeof columns = [
  { head: 'service and PostgreSQL', valueOf: (row) => ofService(row) + row.processorMs.postgres },
  { head: 'service', valueOf: ofService },
  { head: 'PostgreSQL', valueOf: ({ processorMs }) => processorMs.postgres },
  { head: 'sandbox', valueOf: ({ processorMs }) => processorMs.sandbox },
];

const round = (value: number): number => Math.round(value * 10) / 10;
