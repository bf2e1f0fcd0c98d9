// One run from beginning to end on a cluster of Citus: the schema is distributed, and every statement is sent once. Users live through
// all lifecycles while processes are killed. Then users pay while tables change, shards move and servers stop. After each stage,
// everything comes to rest and the auditor compares both sides of the books.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';
import { distributedSettings } from '../../harness/stack/settings.ts';
import { readOptions as readChaosOptions } from '../chaos/options.ts';
import { run as runChaos } from '../chaos/run.ts';
import type { AtEnd } from '../run-in-folder.ts';
import type { Options } from './options.ts';
import { assertEmpty, createTables, dropTables, versionsOf } from './schema.ts';
import { refusedStatements } from './statements.ts';
import { payUnderChanges } from './under-changes.ts';

export type Result = { table: string; violations: string[] };

export async function run(options: Options, folder: string, atEnd: AtEnd): Promise<Result> {
  const { url, payments, users } = options;
  await assertEmpty(url);
  const versions = await versionsOf(url);
  say(versions);
  const tables = await createTables(url);
  say(`${tables} tables have their places`);
  const statements = await refusedStatements(url);
  say(`${statements.run} statements, ${statements.refused.length} refused`);

  const server = { url, settings: distributedSettings };
  const lifecycles = readChaosOptions(
    `--payments ${payments} --users ${users} --kills 10 --restarts 0 --seed 1 --concurrency 8 --imperfect-provider`.split(
      ' ',
    ),
  );
  const hasHeld = await runChaos(
    lifecycles,
    { folder: subfolder(folder, 'lifecycles'), serviceFolder: ROOT, server },
    atEnd,
  );
  await dropTables(url);
  await createTables(url);
  const changes = await payUnderChanges({ ...options, say }, subfolder(folder, 'changes'), atEnd);

  const rows = [
    ['Engine', versions],
    ['Tables with their places', String(tables)],
    ['Statements sent with sample values', `${statements.run}, ${statements.refused.length} refused`],
    [
      `${payments} payments and ${lifecycles.withdraws} withdrawals, ${lifecycles.kills} processes killed, imperfect provider`,
      hasHeld ? 'the auditor found nothing' : 'violations',
    ],
    ...changes.rows,
  ];
  return {
    table: ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
    violations: [
      ...statements.refused.map(({ name, reason }) => `${name} is refused: ${reason}`),
      ...(hasHeld ? [] : ['the lifecycles: see above']),
      ...changes.violations,
    ],
  };
}

function subfolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const say = (what: string): void => console.log(`distributed: ${what}`);
