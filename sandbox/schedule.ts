// Future steps, as rows: a restart continues with them.
import type { World } from './world.ts';

export type Task = 'verify' | 'activate' | 'transfer' | 'payout';

/** Plans a step of a resource. `detail` names it; written together with the request's change. */
export function schedule(world: World, delayMs: number, task: Task, uuid: string, detail: object): void {
  const dueAt = world.now() + delayMs;
  const sql = 'insert into settlements (due_at, task, uuid, detail) values (?, ?, ?, ?)';
  world.store.run(sql, dueAt, task, uuid, JSON.stringify(detail));
  world.wake.settlement(dueAt);
}
