// A long load, minute by minute: what is completed, how long it takes, and what grows meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable, median, quantile } from '../../harness/report.ts';
import type { Contender } from './contender.ts';
import { completedSince, databaseTime, type HotTable, hotTables } from './database.ts';
import { run } from './load.ts';
import { memoryOf } from './memory.ts';
import { type Part, processorSeconds } from './processes.ts';

/** A figure has grown if it is higher in the last third by more than this fraction. */
const GROWS_BY = 0.1;
const MINUTE_MS = 60_000;
const MIB = 1_024 * 1_024;
const reporting: readonly Part[] = ['api', 'worker', 'sandbox'];

type Minute = Map<string, number>;

export async function soak(
  contender: Contender,
  { ratePerSecond, minutes }: { ratePerSecond: number; minutes: number },
): Promise<string[]> {
  const { api, payers } = contender;
  const load = run(api, payers, { ratePerSecond, seconds: minutes * 60 });
  const table: Minute[] = [];
  const begun = performance.now();
  let since = await momentOf(contender);
  while (table.length < minutes) {
    await pause(Math.max(0, begun + (table.length + 1) * MINUTE_MS - performance.now()));
    const until = await momentOf(contender);
    const minute = await readMinute(contender, since, until);
    since = until;
    table.push(minute);
    console.log(
      `minute ${table.length}: ${[...minute].map(([name, figure]) => `${name} ${shown(figure)}`).join(', ')}`,
    );
  }
  const { errors } = await load;
  const names = [...(table[0]?.keys() ?? [])];
  const rows = table.map((minute, at) => [String(at + 1), ...names.map((name) => shown(minute.get(name)))]);
  console.log(`\n${markdownTable(['Minute', ...names], rows)}\n`);
  console.log(markdownTable(['', 'first third', 'last third', 'ratio', ''], growth(table, names)));
  return errors;
}

/** A time by the database's clock, and the processor time that each part had used by then. */
type Moment = { at: Date; used: Record<Part, number> };

const momentOf = async ({ stack, folder }: Contender): Promise<Moment> => ({
  at: await databaseTime(stack.databaseUrl),
  used: processorSeconds(folder),
});

async function readMinute({ stack, folder }: Contender, since: Moment, until: Moment): Promise<Minute> {
  const times = await completedSince(stack.databaseUrl, since.at, until.at);
  const memory = memoryOf(folder, MINUTE_MS / 1_000);
  const tables = await hotTables(stack.databaseUrl);
  const parts = reporting.filter((part) => memory.has(part));
  const sum = (figureOf: (one: HotTable) => number): number =>
    tables.reduce((total, one) => total + figureOf(one), 0);
  // Other work on the machine makes everything slower, but hardly changes the processor time of a payment.
  const processorMs = (...of: Part[]): number =>
    of.reduce((total, part) => total + (until.used[part] - since.used[part]) * 1_000, 0) / times.length;
  return new Map([
    ['completed a second', times.length / ((until.at.getTime() - since.at.getTime()) / 1_000)],
    ['median ms', quantile(times, 0.5)],
    ['99 % ms', quantile(times, 0.99)],
    ['service ms a payment', processorMs('api', 'worker')],
    ['PostgreSQL ms a payment', processorMs('postgres')],
    ...parts.map((part): [string, number] => [`${part} MiB`, (memory.get(part)?.rss ?? 0) / MIB]),
    ...parts.map((part): [string, number] => [`${part} heap MiB`, (memory.get(part)?.heap ?? 0) / MIB]),
    ['dead rows', sum(({ dead }) => dead)],
    ['hot tables MiB', sum(({ bytes }) => bytes) / MIB],
    [
      'bytes a row',
      sum(({ bytes }) => bytes) /
        Math.max(
          1,
          sum(({ live }) => live),
        ),
    ],
  ]);
}

/**
 * The medians of the first minutes and of the last ones. A table gains a row with each payment, so only its size per row is
 * compared.
 */
function growth(table: Minute[], names: string[]): string[][] {
  const third = Math.max(1, Math.floor(table.length / 3));
  const middle = (minutes: Minute[], name: string): number =>
    median(minutes.map((minute) => minute.get(name) ?? 0));
  return names.map((name) => {
    const [first, last] = [middle(table.slice(0, third), name), middle(table.slice(-third), name)];
    const ratio = last / first;
    const isGrowing = name !== 'hot tables MiB' && ratio > 1 + GROWS_BY;
    return [name, shown(first), shown(last), ratio.toFixed(2), isGrowing ? '**grows**' : ''];
  });
}

const shown = (figure: number | undefined): string =>
  figure === undefined ? '' : (Math.round(figure * 10) / 10).toLocaleString('en');
