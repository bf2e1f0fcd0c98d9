// Formats the rounds as a table, and writes it into the documentation.
import { readFileSync, writeFileSync } from 'node:fs';
import { machine, markdownTable, median } from '../../harness/report.ts';
import type { Cost } from './measure.ts';
import type { Operation } from './operations.ts';
import type { Contender } from './stack.ts';

const DOCUMENT = new URL('../../docs/performance.md', import.meta.url);
const [BEGIN, END] = ['<!-- bench:requests -->', '<!-- /bench:requests -->'];

/** The lowest acceptable ratios: the reference's cost divided by the service's. Above 1, the service is cheaper. */
const limits: Record<Operation, number> = {
  'GET /transactions?limit=20': 0.8,
  'GET /transactions?limit=100': 0.8,
  'GET /me': 0.6,
  'GET /pix/payments/{id}': 0.5,
  'POST /pix/payments': 0.6,
  callback: 0.7,
};

export type Costs = Map<Contender, Cost>;
export type Compared = {
  operation: Operation;
  ratio: number;
  range: string;
  /** The service's requests per second divided by the reference's. */
  rate: number;
  /** The service's cost divided by the other checkout's. Undefined if there is no other checkout. */
  toFormer: number | undefined;
  cells: Map<Contender, string>;
};

export function compare(operation: Operation, rounds: Costs[]): Compared {
  // The median of the ratios of the rounds is used, because machines are faster in one second and slower in the next.
  const ratios = ratiosOf(rounds, 'express', 'service');
  const toFormer = rounds[0]?.has('former') ? median(ratiosOf(rounds, 'service', 'former')) : undefined;
  const cells = new Map<Contender, string>();
  for (const contender of Object.keys(titles) as Contender[]) {
    if (!rounds[0]?.has(contender)) continue;
    const middle = (kind: keyof Cost): string =>
      ms(median(rounds.map((costs) => costs.get(contender)?.[kind] ?? Number.NaN)));
    cells.set(contender, `${middle('serverUs')} + ${middle('databaseUs')}`);
  }
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const rate = median(ratiosOf(rounds, 'express', 'service', elapsed));
  return { operation, ratio: median(ratios), range, rate, toFormer, cells };
}

const ratiosOf = (rounds: Costs[], one: Contender, other: Contender, of = processorTime): number[] =>
  rounds.map((costs) => of(costs, one) / of(costs, other));

const titles: Record<Contender, string> = {
  service: 'Ponte, ms',
  express: 'Express + pg, ms',
  fastify: 'Fastify + pg, ms',
  former: 'the other checkout, ms',
};

export function table(compared: Compared[]): string {
  const columns = [...(compared[0]?.cells.keys() ?? [])];
  const heads = ['Request', 'Ratio', 'of the rounds', 'Limit', 'Rate', ...columns.map((one) => titles[one])];
  const rows = compared.map(({ operation, ratio, range, rate, toFormer, cells }) => [
    operation,
    ratio.toFixed(2),
    range,
    limits[operation].toFixed(1),
    rate.toFixed(2),
    ...cells.values(),
    ...(toFormer === undefined ? [] : [toFormer.toFixed(3)]),
  ]);
  const isCompared = compared[0]?.toFormer !== undefined;
  return markdownTable([...heads, ...(isCompared ? ['Ponte / other'] : [])], rows);
}

export function writeDown(
  text: string,
  args: string[],
  options: Record<'rows' | 'rounds' | 'requests' | 'at-once', string>,
): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const command = ['npm run bench:requests', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const about = `${new Date().toISOString().slice(0, 10)}, ${machine()}, \`${command}\`: ${options.rounds} rounds of
${options.requests} requests to each, ${options['at-once']} at a time, ${Number(options.rows).toLocaleString('en')} transactions in the table.`;
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined)
    throw new Error(`docs/performance.md has no place for the table: ${BEGIN} ... ${END}`);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n${text}\n\n${about}\n${END}${after}`);
}

function processorTime(costs: Costs, contender: Contender): number {
  const { serverUs = Number.NaN, databaseUs = Number.NaN } = costs.get(contender) ?? {};
  return serverUs + databaseUs;
}

const elapsed = (costs: Costs, contender: Contender): number => costs.get(contender)?.elapsedUs ?? Number.NaN;

const ms = (us: number): string => (us / 1_000).toFixed(3);
