// Runs many runs concurrently, because they mostly wait. Each worker keeps a world for successive runs, and abandons it when a run
// has spoilt it.
import type { DatabaseServer } from './database.ts';
import type { Flow } from './flows.ts';
import { resident } from './person.ts';
import { type CrashWorld, type Kind, startWorld } from './world.ts';

/** `again`: the run was inconclusive and must be repeated in another world. `spoilt`: the world cannot be used again. */
export type TaskResult = 'good' | 'spoilt' | 'again';
export type Task = { flow: Flow; run: (world: CrashWorld) => Promise<TaskResult> };

/** The runs with the longest waits begin first. */
const order: Kind[] = ['refused', 'rotating', 'without-callbacks', 'two-hop', 'direct'];

/**
 * Runs every task in a world of its flow's kind.
 * @param onFailure called with the error of a task.
 */
export async function runTasks(
  tasks: Task[],
  { databases, sideBySide }: { databases: DatabaseServer; sideBySide: number },
  onFailure: (task: Task, error: unknown) => void,
): Promise<void> {
  const waiting = tasks.toSorted((a, b) => order.indexOf(a.flow.kind) - order.indexOf(b.flow.kind));
  /** Prefers a task of the world's kind, because a new world takes seconds. */
  const next = (world: CrashWorld | null): Task | undefined => {
    const same = waiting.findIndex(({ flow }) => flow.kind === world?.kind);
    return waiting.splice(Math.max(same, 0), 1)[0];
  };
  const worker = async (): Promise<void> => {
    let world: CrashWorld | null = null;
    for (let task = next(world); task; task = next(world)) {
      try {
        if (world?.kind !== task.flow.kind) {
          await world?.stop();
          world = null;
          world = await readyWorld(task.flow.kind, databases);
        }
        const outcome = await task.run(world);
        if (outcome === 'good') continue;
        if (outcome === 'again') waiting.push(task);
      } catch (error) {
        onFailure(task, error);
      }
      await world?.stop();
      world = null;
    }
    await world?.stop();
  };
  await Promise.all(Array.from({ length: Math.min(sideBySide, tasks.length) }, worker));
}

const MOST_STARTS = 3;

/** Another world or process may take a port just after it was found free. Then another world is made. */
async function readyWorld(kind: Kind, databases: DatabaseServer): Promise<CrashWorld> {
  for (let left = MOST_STARTS; ; left -= 1) {
    const world = await startWorld(kind, databases);
    try {
      await warm(world);
      return world;
    } catch (error) {
      await world.stop();
      if (left === 1) throw error;
    }
  }
}

/** Does what happens once per database, such as storing the first callback of a month, so that it is not part of any flow. */
async function warm(world: CrashWorld): Promise<void> {
  await world.service.ready();
  await resident(world);
}
