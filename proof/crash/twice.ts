// `npm run decisions-twice`: runs every flow normally, and again with each decision run twice. Both must end alike, because the
// service runs a decision again after a deadlock, a schema change or an unanswered COMMIT.
import { markdownTable } from '../../harness/report.ts';
import { startDatabaseServer } from './database.ts';
import type { CrashEnvironment } from './environment.ts';
import { type Flow, flows } from './flows.ts';
import { DECIDED_TWICE } from './preload/twice.ts';
import { differencesOf, runUndisturbed } from './run.ts';
import { runTasks, type Task } from './scheduler.ts';

const WORKERS = 8;
const began = Date.now();
const violations: string[] = [];
const decided = new Map<string, number>();

const databases = await startDatabaseServer();
try {
  const tasks = flows.map((flow): Task => ({ flow, run: (environment) => compare(environment, flow) }));
  await runTasks(tasks, { databases, sideBySide: WORKERS }, ({ flow }, error) => {
    violations.push(`${flow.name}: ${String(error)}`);
  });
} finally {
  await databases.stop();
}
const byActor = [...decided].toSorted(([one], [other]) => one.localeCompare(other));
console.log(`\n${markdownTable(['Decided twice by', 'Times'], byActor)}`);
for (const violation of violations) console.error(`\nVIOLATION ${violation}`);
console.log(`\n${violations.length} violations, ${Math.round((Date.now() - began) / 1_000)} s`);
process.exit(violations.length === 0 ? 0 : 1);

async function compare(environment: CrashEnvironment, flow: Flow): Promise<'spoilt'> {
  const once = await runUndisturbed(environment, flow);
  await environment.service.renew({ DECIDE_TWICE: 'true' });
  const twice = await runUndisturbed(environment, flow);
  const actors = twice.points.flatMap((point) => actorOf(point) ?? []);
  for (const actor of actors) decided.set(actor, (decided.get(actor) ?? 0) + 1);
  const faults = [
    ...twice.faults,
    ...differencesOf(twice.ending, once.ending),
    ...(actors.length === 0 ? ['no decision was run twice'] : []),
  ];
  violations.push(...faults.map((fault) => `${flow.name}: ${fault}`));
  console.log(`${flow.name}: ${actors.length} decisions twice, ${faults.length === 0 ? 'right' : 'WRONG'}`);
  return 'spoilt';
}

function actorOf(point: string): string | null {
  const [, actor = null] = new RegExp(`^${DECIDED_TWICE} \\((.*)\\) #\\d+$`).exec(point) ?? [];
  return actor;
}
