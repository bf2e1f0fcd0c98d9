// `npm run crash-points`: crashes the service at every point of every flow, and compares how each flow ends with how it ends
// without a crash. `--record` writes the list of points again. `--twice` also runs a number of flows, or `all`, with each decision run
// twice, which the service does after a deadlock, a schema change or an unanswered COMMIT: the flow must end alike.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createRandom } from '../random.ts';
import { startDatabaseServer } from './database.ts';
import type { CrashEnvironment } from './environment.ts';
import { type Flow, flows } from './flows.ts';
import { differences, type PointLists, readLists, sampleOf, writeLists } from './lists.ts';
import { DECIDED_TWICE } from './preload/twice.ts';
import { type Row, table, tableOfTwice } from './report.ts';
import { differencesOf, type FlowRun, runUndisturbed, runWithCrashAt } from './run.ts';
import { runTasks, type Task, type TaskResult } from './scheduler.ts';

const { values: options } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    flow: { type: 'string', multiple: true },
    point: { type: 'string' },
    sample: { type: 'string' },
    twice: { type: 'string', default: '0' },
    /** Chooses the sample. The default differs each time and is printed. */
    seed: { type: 'string', default: String(randomInt(1e9)) },
    workers: { type: 'string', default: '8' },
  },
});

const MAX_TRIES = 3;
const began = Date.now();
const violations: string[] = [];
const chosen = flows.filter(({ name }) => options.flow?.includes(name) ?? true);
if (chosen.length === 0)
  throw new Error(`no such flow; there are: ${flows.map(({ name }) => name).join(', ')}`);
const lists = readLists();
const rows = new Map(
  chosen.map(({ name }): [string, Row] => [name, { points: 0, reached: 0, endedRight: 0 }]),
);
/** The undisturbed run of each flow. Null if it failed. */
const undisturbed = new Map(chosen.map((flow) => [flow, Promise.withResolvers<FlowRun | null>()]));

const recordings = chosen.map(
  (flow): Task => ({ flow, run: (environment) => record(flow, runUndisturbed(environment, flow)) }),
);
const ends = options.record
  ? []
  : chosen.flatMap((flow) => pointsOf(flow).map((point) => endAt(flow, point)));
const atMost = options.twice === 'all' ? chosen.length : Number(options.twice);
const twice = createRandom(Number(options.seed), 'flows whose decisions run twice')
  .sample(chosen, atMost)
  .map((flow): Task => ({ flow, run: (environment) => decideTwice(environment, flow) }));
/** How many decisions of each actor were run twice. */
const decided = new Map<string, number>();
if (options.sample) console.log(`a sample of ${ends.length} points, seed ${options.seed}`);
let done = 0;

const databases = await startDatabaseServer();
try {
  const scheduler = { databases, sideBySide: Number(options.workers) };
  await runTasks([...recordings, ...ends, ...twice], scheduler, ({ flow }, error) => {
    violations.push(`${flow.name}: ${String(error)}`);
    undisturbed.get(flow)?.resolve(null);
  });
  if (options.record) await writeRecorded();
} finally {
  await databases.stop();
}
if (ends.length > 0) console.log(`\n${table(rows)}`);
if (twice.length > 0) console.log(`\n${tableOfTwice(decided)}`);
for (const violation of violations) console.error(`\nVIOLATION ${violation}`);
console.log(`\n${violations.length} violations, ${seconds()} s`);
process.exit(violations.length === 0 ? 0 : 1);

async function record(flow: Flow, telling: Promise<FlowRun>): Promise<TaskResult> {
  const run = await telling;
  undisturbed.get(flow)?.resolve(run);
  violations.push(...run.faults.map((fault) => `${flow.name}, undisturbed: ${fault}`));
  if (!options.record)
    violations.push(
      ...differences(lists[flow.name] ?? [], run.points).map((what) => `${flow.name}: ${what}`),
    );
  console.log(`${seconds()} s  ${flow.name}, undisturbed: ${run.points.length} points`);
  return 'good';
}

function pointsOf({ name }: Flow): string[] {
  const listed: PointLists = Object.fromEntries(chosen.map((flow) => [flow.name, lists[flow.name] ?? []]));
  const selected = options.sample ? sampleOf(listed, Number(options.sample), Number(options.seed)) : listed;
  return (selected[name] ?? []).filter((point) => point === (options.point ?? point));
}

function endAt(flow: Flow, point: string): Task {
  let tries = 0;
  const run: Task['run'] = async (environment) => {
    const deaths = environment.service.deaths();
    const result = await runWithCrashAt(environment, flow, point).catch((error: unknown) => String(error));
    tries += 1;
    // A run that failed before its crash point proves nothing: a busy machine may not reach the point in time.
    if (typeof result === 'string' && environment.service.deaths() === deaths && tries < MAX_TRIES) {
      console.log(`${seconds()} s  once more  ${flow.name}: ${point}: ${result}`);
      return 'again';
    }
    const isReached = typeof result !== 'string' && result.isReached;
    const wrong =
      typeof result === 'string' ? [result] : [...result.faults, ...(await deviations(flow, result))];
    const faults = [...(isReached ? [] : ['never reached']), ...wrong];
    count(flow, { isReached, isRight: wrong.length === 0 });
    violations.push(...faults.map((fault) => `${flow.name}, ${point}: ${fault}`));
    done += 1;
    const verdict = faults.length === 0 ? 'right' : 'WRONG';
    console.log(`${seconds()} s  ${done}/${ends.length}  ${verdict}  ${flow.name}: ${point}`);
    for (const fault of faults) console.log(`    ${fault}`);
    return faults.length === 0 ? 'good' : 'spoilt';
  };
  return { flow, run };
}

async function decideTwice(environment: CrashEnvironment, flow: Flow): Promise<TaskResult> {
  await environment.service.renew({ DECIDE_TWICE: 'true' });
  const run = await runUndisturbed(environment, flow);
  const actors = run.points.flatMap((point) => actorOf(point) ?? []);
  for (const actor of actors) decided.set(actor, (decided.get(actor) ?? 0) + 1);
  const nothing = actors.length === 0 ? ['no decision was run twice'] : [];
  const faults = [...run.faults, ...(await deviations(flow, run)), ...nothing];
  violations.push(...faults.map((fault) => `${flow.name}, decided twice: ${fault}`));
  const verdict = faults.length === 0 ? 'right' : 'WRONG';
  console.log(`${seconds()} s  ${verdict}  ${flow.name}: ${actors.length} decisions twice`);
  return 'spoilt';
}

function actorOf(point: string): string | undefined {
  return new RegExp(`^${DECIDED_TWICE} \\((.*)\\) #\\d+$`).exec(point)?.[1];
}

async function deviations(flow: Flow, { ending }: FlowRun): Promise<string[]> {
  const expected = (await undisturbed.get(flow)?.promise)?.ending;
  if (!expected) return ['nothing to compare it with'];
  return differencesOf(ending, expected);
}

function count({ name }: Flow, { isReached, isRight }: { isReached: boolean; isRight: boolean }): void {
  const row = rows.get(name);
  if (!row) return;
  row.points += 1;
  row.reached += isReached ? 1 : 0;
  row.endedRight += isRight ? 1 : 0;
}

async function writeRecorded(): Promise<void> {
  const recorded: PointLists = {};
  for (const flow of flows) {
    const run = await undisturbed.get(flow)?.promise;
    recorded[flow.name] = run?.points ?? lists[flow.name] ?? [];
  }
  writeLists(recorded);
}

function seconds(): number {
  return Math.round((Date.now() - began) / 1_000);
}
