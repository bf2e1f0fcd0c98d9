// Future steps, stored as rows: a restart continues with them.
import { refuse } from './provider/refusal.ts';
import { isoTime } from './time.ts';
import type { World } from './world.ts';

export type Task = 'verify' | 'activate' | 'transfer' | 'payout';

export interface PlannedStep {
  status: string;
  due_at: string;
}

/** Plans a step of a resource in the transaction of the request's change. `detail` says which step it is. */
export function schedule(world: World, delayMs: number, task: Task, uuid: string, detail: object): void {
  const dueAt = world.now() + delayMs;
  const sql = 'insert into settlements (due_at, task, uuid, detail) values (?, ?, ?, ?)';
  world.store.run(sql, dueAt, task, uuid, JSON.stringify(detail));
  world.wake.settlement(dueAt);
}

/** Removes the planned steps of a resource, because a tester decided otherwise. */
export const cancelPlanned = (world: World, uuid: string): void =>
  void world.store.run('delete from settlements where uuid = ?', uuid);

/**
 * Postpones the planned steps of a resource.
 * @returns the steps, the next one first.
 * @throws 409 if none is planned.
 */
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
