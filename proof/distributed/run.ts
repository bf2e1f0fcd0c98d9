// One run from beginning to end on a cluster of Citus, in stages: every statement is sent once; the demo and the stories of test/flows
// run; users live through all lifecycles while processes are killed; users pay while the cluster changes; and the speed is compared
// with one server. After each stage with payments, everything comes to rest and the auditor compares both sides of the books.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrateDatabase } from '../../harness/database/query.ts';
import { ROOT } from '../../harness/processes/node-process.ts';
import { machine, seconds } from '../../harness/report.ts';
import { distributedSettings } from '../../harness/stack/settings.ts';
import { readOptions as readChaosOptions } from '../chaos/options.ts';
import { run as runChaos } from '../chaos/run.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { runDemo } from './demo.ts';
import { runFlows } from './flows.ts';
import { type Options, STAGES, type Stage } from './options.ts';
import { assertEmpty, createTables, dropTables, versionsOf } from './schema.ts';
import { measure, measureOneServer, type Speed } from './speed.ts';
import { runStatements } from './statements.ts';
import { type Outcome, payUnderChanges } from './under-changes.ts';

export type Result = { table: string; violations: string[] };

type Run = { options: Options; folder: string; atEnd: AtEnd };

/** A stage begins and ends without tables. */
export async function run(options: Options, folder: string, atEnd: AtEnd): Promise<Result> {
  const { url } = options;
  await assertEmpty(url);
  const versions = await versionsOf(url);
  say(versions);
  const all: Outcome = { rows: [], violations: [] };
  for (const stage of STAGES) {
    const { rows, violations } = options.stages.includes(stage)
      ? await runStage(stage, { options, folder, atEnd })
      : { rows: [[titles[stage], 'not tried']], violations: [] };
    for (const row of rows) say(row.join(': '));
    all.rows.push(...rows);
    all.violations.push(...violations);
  }
  const head = [`${new Date().toISOString().slice(0, 10)}: ${versions}; ${machine()}`, 'Result'];
  return {
    table: [head, ['---', '---'], ...all.rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    violations: all.violations,
  };
}

const titles: Record<Stage, string> = {
  statements: 'Every statement with sample values',
  demo: 'The demo, on two processes',
  flows: 'The stories of `test/flows`',
  lifecycles: 'Payments and withdrawals, processes killed, an imperfect provider',
  changes: 'The cluster changes while people pay',
  speed: 'Speed',
};

const stages: Record<Stage, (run: Run) => Promise<Outcome>> = {
  statements: sendStatements,
  demo: showDemo,
  flows: tellFlows,
  lifecycles: liveAndDie,
  changes: async ({ options, folder, atEnd }) => {
    await migrateDatabase(options.url);
    return payUnderChanges({ ...options, say }, folder, atEnd);
  },
  speed: compareSpeed,
};

/** Drops the tables of the stage. */
async function runStage(stage: Stage, parameters: Run): Promise<Outcome> {
  say(stage);
  const outcome = await inSubfolder(stage, parameters, stages[stage]);
  await dropTables(parameters.options.url);
  return outcome;
}

/** Runs a part in its own folder, and stops what it started. */
async function inSubfolder<Made>(
  name: string,
  { options, folder, atEnd }: Run,
  part: (run: Run) => Promise<Made>,
): Promise<Made> {
  const own = join(folder, name);
  mkdirSync(own);
  const endings: (() => Promise<void>)[] = [];
  const end = async (): Promise<void> => {
    for (const ending of endings.splice(0).toReversed()) await ending();
  };
  atEnd(end);
  const result = await part({ options, folder: own, atEnd: (ending) => void endings.push(ending) });
  await end();
  return result;
}

async function sendStatements({ options: { url } }: Run): Promise<Outcome> {
  const beganAt = Date.now();
  const tables = await createTables(url);
  const tookMs = Date.now() - beganAt;
  const { run: sent, refused, servers } = await runStatements(url);
  return {
    rows: [
      ['Migrations and `db:distribute` on an empty database', `${tables} tables in ${seconds(tookMs)}`],
      [titles.statements, `${sent}, ${refused.length} refused`],
      [
        'Servers that a statement asks',
        `one: ${servers.oneServer}, all: ${servers.allServers}, the coordinator alone: ${servers.coordinator}`,
      ],
    ],
    violations: refused.map(({ name, reason }) => `${name} is refused: ${reason}`),
  };
}

async function showDemo({ options: { url }, folder, atEnd }: Run): Promise<Outcome> {
  await createTables(url);
  const { summary, isComplete } = await runDemo(url, folder, atEnd);
  return { rows: [[titles.demo, summary]], violations: isComplete ? [] : [`the demo: ${summary}`] };
}

async function tellFlows({ options: { url }, folder }: Run): Promise<Outcome> {
  const { files, tests, failures, unable } = await runFlows(url, folder);
  const needing =
    unable.length === 0 ? '' : `; ${unable.length} cannot run, because Citus has no such triggers`;
  return {
    rows: [[titles.flows, `${tests} in ${files} files, ${failures.length} fail${needing}`]],
    violations: failures,
  };
}

async function liveAndDie({ options: { url, payments, users }, folder, atEnd }: Run): Promise<Outcome> {
  await createTables(url);
  const sizes = `--payments ${payments} --users ${users} --seed 1 --concurrency 8 --kills 10 --restarts 0`;
  const lifecycles = readChaosOptions([...sizes.split(' '), '--imperfect-provider']);
  const server = { url, settings: distributedSettings };
  const hasHeld = await runChaos(lifecycles, { folder, serviceFolder: ROOT, server }, atEnd);
  return {
    rows: [
      [
        `${payments} payments and ${lifecycles.withdraws} withdrawals, ${lifecycles.kills} processes killed, an imperfect provider`,
        hasHeld ? 'the auditor found nothing' : 'violations',
      ],
    ],
    violations: hasHeld ? [] : ['the lifecycles: see above'],
  };
}

async function compareSpeed(parameters: Run): Promise<Outcome> {
  const { url, users, seconds: duration } = parameters.options;
  const engine = { users, seconds: duration };
  const alone = await inSubfolder('one-server', parameters, ({ folder, atEnd }) =>
    measureOneServer(engine, folder, atEnd),
  );
  await createTables(url);
  const several = await inSubfolder('cluster', parameters, ({ folder, atEnd }) =>
    measure({ ...engine, url, settings: distributedSettings }, folder, atEnd),
  );
  const row = (title: string, read: (speed: Speed) => number | null, digits: number): string[] => {
    const [one, other] = [alone, several].map(read).map((value) => value?.toFixed(digits) ?? 'not counted');
    return [title, `one server: ${one}; cluster: ${other}`];
  };
  return {
    rows: [
      row(`Payments a second, ${users} users, ${duration} s`, (speed) => speed.completedPerSecond, 1),
      row('Median of a payment, ms', (speed) => speed.medianMs, 0),
      row('Processor time of the service, ms a payment', (speed) => speed.servicesMs, 1),
      row('Processor time of that server, or of the coordinator', (speed) => speed.firstServerMs, 1),
      row('Processor time of the workers', (speed) => speed.workersMs, 1),
      row('Statements a payment, claims included', (speed) => speed.statements, 1),
      row('Commits of the server that the service uses, a payment', (speed) => speed.commits, 1),
      row('Prepared transactions of the workers, a payment', (speed) => speed.prepared, 1),
      row('Log of all servers, KiB a payment', (speed) => speed.logKiB, 1),
    ],
    violations: [],
  };
}

const say = (what: string): void => console.log(`distributed: ${what}`);
