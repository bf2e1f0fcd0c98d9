// Future steps, stored as rows: a restart continues with them.

import type { SandboxContext } from './context.ts';
import { refuse } from './provider/refusal.ts';
import { isoTime } from './time.ts';

export type Task = 'verify' | 'activate' | 'transfer' | 'payout' | 'contestation';

export interface PlannedStep {
  status: string;
  due_at: string;
}

/** Plans a step of a resource in the transaction of the request's change. `detail` says which step it is. */
export function schedule(
  context: SandboxContext,
  delayMs: number,
  task: Task,
  uuid: string,
  detail: object,
): void {
  const dueAt = context.now() + delayMs;
  const sql = 'insert into settlements (due_at, task, uuid, detail) values (?, ?, ?, ?)';
  context.store.run(sql, dueAt, task, uuid, JSON.stringify(detail));
  context.wake.settlement(dueAt);
}

/** Removes the planned steps of a resource, because a tester decided otherwise. */
export const cancelPlanned = (context: SandboxContext, uuid: string): void =>
  void context.store.run('delete from settlements where uuid = ?', uuid);

/**
 * Postpones the planned steps of a resource.
 * @returns the steps, the next one first.
 * @throws 409 if none is planned.
 */
export function postponePlanned(context: SandboxContext, uuid: string, byMs: number): PlannedStep[] {
  const { changes } = context.store.run(
    'update settlements set due_at = due_at + ? where uuid = ?',
    byMs,
    uuid,
  );
  if (changes === 0) throw refuse('rejected', 'nothing is planned for it: there is nothing to delay', 409);
  return plannedSteps(context, uuid);
}

export function plannedSteps(context: SandboxContext, uuid: string): PlannedStep[] {
  const sql = 'select due_at, task, detail from settlements where uuid = ? order by due_at, id';
  return context.store
    .all<{ due_at: number; task: Task; detail: string }>(sql, uuid)
    .map(({ due_at, task, detail }) => ({
      status: task === 'activate' ? 'ACTIVE' : (JSON.parse(detail) as { status: string }).status,
      due_at: isoTime(due_at),
    }));
}
