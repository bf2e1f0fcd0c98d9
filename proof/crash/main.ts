// `npm run crash-points`: ends the service at every point of every flow, and holds how each flow ended against how it
// ends when nothing happens. `--record` writes the list of points anew.
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { startDatabaseServer } from './database.ts';
import { type Flow, flows } from './flows.ts';
import { differences, type PointLists, readLists, sampleOf, writeLists } from './lists.ts';
import { type Row, table } from './report.ts';
import { type Told, tellUndisturbed, tellWithEndAt } from './run.ts';
import { runTasks, type Task, type TaskResult } from './scheduler.ts';

const { values: options } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    flow: { type: 'string', multiple: true },
    point: { type: 'string' },
    sample: { type: 'string' },
    /** Chooses the sample; another one each time, which is printed. */
    seed: { type: 'string', default: String(randomInt(1e9)) },
    workers: { type: 'string', default: '8' },
  },
});

const MOST_TRIES = 3;
const began = Date.now();
const violations: string[] = [];
const chosen = flows.filter(({ name }) => options.flow?.includes(name) ?? true);
if (chosen.length === 0)
  throw new Error(`no such flow; there are: ${flows.map(({ name }) => name).join(', ')}`);
const lists = readLists();
const rows = new Map(
  chosen.map(({ name }): [string, Row] => [name, { points: 0, reached: 0, endedRight: 0 }]),
);
/** How each flow goes undisturbed; null where that failed. */
const undisturbed = new Map(chosen.map((flow) => [flow, Promise.withResolvers<Told | null>()]));

const recordings = chosen.map(
  (flow): Task => ({ flow, run: (world) => record(flow, tellUndisturbed(world, flow)) }),
);
const ends = options.record
  ? []
  : chosen.flatMap((flow) => pointsOf(flow).map((point) => endAt(flow, point)));
if (options.sample) console.log(`a sample of ${ends.length} points, seed ${options.seed}`);
let done = 0;

const databases = await startDatabaseServer();
try {
  const scheduler = { databases, sideBySide: Number(options.workers) };
  await runTasks([...recordings, ...ends], scheduler, ({ flow }, error) => {
    violations.push(`${flow.name}: ${String(error)}`);
    undisturbed.get(flow)?.resolve(null);
  });
  if (options.record) await writeRecorded();
} finally {
  await databases.stop();
}
if (!options.record) console.log(`\n${table(rows)}`);
for (const violation of violations) console.error(`\nVIOLATION ${violation}`);
console.log(`\n${violations.length} violations, ${seconds()} s`);
process.exit(violations.length === 0 ? 0 : 1);

async function record(flow: Flow, telling: Promise<Told>): Promise<TaskResult> {
  const told = await telling;
  undisturbed.get(flow)?.resolve(told);
  violations.push(...told.faults.map((fault) => `${flow.name}, undisturbed: ${fault}`));
  if (!options.record)
    violations.push(
      ...differences(lists[flow.name] ?? [], told.points).map((what) => `${flow.name}: ${what}`),
    );
  console.log(`${seconds()} s  ${flow.name}, undisturbed: ${told.points.length} points`);
  return 'good';
}

/** Those of a flow that are wanted this time. */
function pointsOf({ name }: Flow): string[] {
  const listed: PointLists = Object.fromEntries(chosen.map((flow) => [flow.name, lists[flow.name] ?? []]));
  const wanted = options.sample ? sampleOf(listed, Number(options.sample), Number(options.seed)) : listed;
  return (wanted[name] ?? []).filter((point) => point === (options.point ?? point));
}

function endAt(flow: Flow, point: string): Task {
  let tries = 0;
  const run: Task['run'] = async (world) => {
    const deaths = world.service.deaths();
    const told = await tellWithEndAt(world, flow, point).catch((error: unknown) => String(error));
    tries += 1;
    // What broke off before the end that was asked for says nothing: a busy machine may not get so far in time.
    if (typeof told === 'string' && world.service.deaths() === deaths && tries < MOST_TRIES) {
      console.log(`${seconds()} s  once more  ${flow.name}: ${point}: ${told}`);
      return 'again';
    }
    const isReached = typeof told !== 'string' && told.isReached;
    const wrong = typeof told === 'string' ? [told] : [...told.faults, ...(await deviations(flow, told))];
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

async function deviations(flow: Flow, { ending }: Told): Promise<string[]> {
  const expected = (await undisturbed.get(flow)?.promise)?.ending;
  if (!expected) return ['nothing to compare it with'];
  return Object.keys(expected)
    .filter((key) => !isDeepStrictEqual(ending[key], expected[key]))
    .map((key) => `${key}: ${JSON.stringify(ending[key])} instead of ${JSON.stringify(expected[key])}`);
}

function count({ name }: Flow, { isReached, isRight }: { isReached: boolean; isRight: boolean }): void {
  const row = rows.get(name);
  if (!row) return;
  row.points += 1;
  row.reached += isReached ? 1 : 0;
  row.endedRight += isRight ? 1 : 0;
}

async function writeRecorded(): Promise<void> {
  const recorded = { ...lists };
  for (const flow of chosen) {
    const told = await undisturbed.get(flow)?.promise;
    if (told) recorded[flow.name] = told.points;
  }
  writeLists(recorded);
}

function seconds(): number {
  return Math.round((Date.now() - began) / 1_000);
}
