// Future steps, as rows: a restart continues with them.
import { refuse } from './provider/refusal.ts';
import { isoTime } from './time.ts';
import type { World } from './world.ts';

export type Task = 'verify' | 'activate' | 'transfer' | 'payout';

/** A step to come: the status that it leads to. */
export interface PlannedStep {
  status: string;
  due_at: string;
}

/** Plans a step of a resource. `detail` names it; written together with the request's change. */
export function schedule(world: World, delayMs: number, task: Task, uuid: string, detail: object): void {
  const dueAt = world.now() + delayMs;
  const sql = 'insert into settlements (due_at, task, uuid, detail) values (?, ?, ?, ?)';
  world.store.run(sql, dueAt, task, uuid, JSON.stringify(detail));
  world.wake.settlement(dueAt);
}

/** Forgets what was planned for a resource: a tester decided otherwise. */
export const cancelPlanned = (world: World, uuid: string): void =>
  void world.store.run('delete from settlements where uuid = ?', uuid);

/** Postpones what is planned for a resource. Throws 409 where nothing is. @returns the steps, the next one first. */
export function postponePlanned(world: World, uuid: string, byMs: number): PlannedStep[] {
  const { changes } = world.store.run(
    'update settlements set due_at = due_at + ? where uuid = ?',
    byMs,
    uuid,
  );
  if (changes === 0) throw refuse('rejected', 'nothing is planned for it: there is nothing to delay', 409);
  return plannedSteps(world, uuid);
}

export function plannedSteps(world: World, uuid: string): PlannedStep[] {
  const sql = 'select due_at, task, detail from settlements where uuid = ? order by due_at, id';
  return world.store
    .all<{ due_at: number; task: Task; detail: string }>(sql, uuid)
    .map(({ due_at, task, detail }) => ({
      status: task === 'activate' ? 'ACTIVE' : (JSON.parse(detail) as { status: string }).status,
      due_at: isoTime(due_at),
    }));
}
