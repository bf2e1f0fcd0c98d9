// A long load, minute by minute: what is completed, how long it takes, and what grows meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { markdownTable } from '../markdown.ts';
import type { Contender } from './contender.ts';
import { completedSince, databaseTime, hotTables } from './database.ts';
import { run } from './load.ts';
import { quantile } from './measure.ts';
import { memoryOf } from './memory.ts';
import type { Part } from './processes.ts';

/** A figure of the last third that is higher by more than this share has grown. */
const GROWS_BY = 0.1;
const MINUTE_MS = 60_000;
const MIB = 1_024 * 1_024;
const reporting: readonly Part[] = ['api', 'worker', 'sandbox'];

type Minute = Map<string, number>;

/** @returns the errors of the load. */
export async function soak(
  contender: Contender,
  { ratePerSecond, minutes }: { ratePerSecond: number; minutes: number },
): Promise<string[]> {
  const { api, payers } = contender;
  const load = run(api, payers, { ratePerSecond, seconds: minutes * 60 });
  const table: Minute[] = [];
  const begun = performance.now();
  let since = await databaseTime(contender.stack.databaseUrl);
  while (table.length < minutes) {
    await pause(Math.max(0, begun + (table.length + 1) * MINUTE_MS - performance.now()));
    const until = await databaseTime(contender.stack.databaseUrl);
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

async function readMinute({ stack, folder }: Contender, since: Date, until: Date): Promise<Minute> {
  const times = await completedSince(stack.databaseUrl, since, until);
  const memory = memoryOf(folder, MINUTE_MS / 1_000);
  const tables = await hotTables(stack.databaseUrl);
  const parts = reporting.filter((part) => memory.has(part));
  const sum = (figureOf: (one: (typeof tables)[number]) => number): number =>
    tables.reduce((total, one) => total + figureOf(one), 0);
  return new Map([
    ['completed a second', times.length / ((until.getTime() - since.getTime()) / 1_000)],
    ['median ms', quantile(times, 0.5)],
    ['99 % ms', quantile(times, 0.99)],
    ...parts.map((part): [string, number] => [`${part} MiB`, (memory.get(part)?.rss ?? 0) / MIB]),
    ...parts.map((part): [string, number] => [`${part} heap MiB`, (memory.get(part)?.heap ?? 0) / MIB]),
    ...tables.map(({ name, dead }): [string, number] => [`dead ${name}`, dead]),
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

/** A table has a row more for each payment: of its size only what a row takes can be too much. */
function growth(table: Minute[], names: string[]): string[][] {
  const third = Math.max(1, Math.floor(table.length / 3));
  const mean = (minutes: Minute[], name: string): number =>
    minutes.reduce((sum, minute) => sum + (minute.get(name) ?? 0), 0) / minutes.length;
  return names.map((name) => {
    const [first, last] = [mean(table.slice(0, third), name), mean(table.slice(-third), name)];
    const ratio = last / first;
    const isGrowing = name !== 'hot tables MiB' && ratio > 1 + GROWS_BY;
    return [name, shown(first), shown(last), ratio.toFixed(2), isGrowing ? '**grows**' : ''];
  });
}

const shown = (figure: number | undefined): string =>
  figure === undefined ? '' : (Math.round(figure * 10) / 10).toLocaleString('en');
