// Runs many runs concurrently, because they mostly wait. Each worker keeps an environment for successive runs, and abandons it when a run
// has spoilt it.
import type { DatabaseServer } from './database.ts';
import { type CrashEnvironment, type Kind, startEnvironment } from './environment.ts';
import type { Flow } from './flows.ts';
import { resident } from './person.ts';

/** `again`: the run was inconclusive and must be repeated in another environment. `spoilt`: the environment cannot be used again. */
export type TaskResult = 'good' | 'spoilt' | 'again';
export type Task = { flow: Flow; run: (environment: CrashEnvironment) => Promise<TaskResult> };

/** The runs with the longest waits begin first. */
const order: Kind[] = ['refused', 'rotating', 'without-callbacks', 'two-hop', 'direct'];

/**
 * Runs every task in an environment of its flow's kind.
 * @param onFailure called with the error of a task.
 */
export async function runTasks(
  tasks: Task[],
  { databases, sideBySide }: { databases: DatabaseServer; sideBySide: number },
  onFailure: (task: Task, error: unknown) => void,
): Promise<void> {
  const waiting = tasks.toSorted((a, b) => order.indexOf(a.flow.kind) - order.indexOf(b.flow.kind));
  /** Prefers a task of the environment's kind, because a new environment takes seconds. */
  const next = (environment: CrashEnvironment | null): Task | undefined => {
    const same = waiting.findIndex(({ flow }) => flow.kind === environment?.kind);
    return waiting.splice(Math.max(same, 0), 1)[0];
  };
  const worker = async (): Promise<void> => {
    let environment: CrashEnvironment | null = null;
    for (let task = next(environment); task; task = next(environment)) {
      try {
        if (environment?.kind !== task.flow.kind) {
          await environment?.stop();
          environment = null;
          environment = await readyEnvironment(task.flow.kind, databases);
        }
        const outcome = await task.run(environment);
        if (outcome === 'good') continue;
        if (outcome === 'again') waiting.push(task);
      } catch (error) {
        onFailure(task, error);
      }
      await environment?.stop();
      environment = null;
    }
    await environment?.stop();
  };
  await Promise.all(Array.from({ length: Math.min(sideBySide, tasks.length) }, worker));
}

const MAX_STARTS = 3;

/** Another environment or process may take a port just after it was found free. Then another environment is made. */
async function readyEnvironment(kind: Kind, databases: DatabaseServer): Promise<CrashEnvironment> {
  for (let remaining = MAX_STARTS; ; remaining -= 1) {
    const environment = await startEnvironment(kind, databases);
    try {
      await warm(environment);
      return environment;
    } catch (error) {
      await environment.stop();
      if (remaining === 1) throw error;
    }
  }
}

/** Does what happens once per database, such as storing the first callback of a month, so that it is not part of any flow. */
async function warm(environment: CrashEnvironment): Promise<void> {
  await environment.service.ready();
  await resident(environment);
}
