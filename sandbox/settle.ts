// The loop that runs planned steps: each due row is one transaction, which also deletes the row.

import type { SandboxContext } from './context.ts';
import { activate } from './provider/accounts.ts';
import { settleContestation } from './provider/contestations.ts';
import { settleVerification } from './provider/owners.ts';
import type { PayoutStep } from './provider/payout-plan.ts';
import { settlePayout } from './provider/payouts.ts';
import { settleTransfer } from './provider/transfers.ts';
import type { Task } from './schedule.ts';
import { createTimer } from './timer.ts';

interface Settlement {
  id: number;
  due_at: number;
  task: Task;
  uuid: string;
  detail: string;
}

export interface Loop {
  wake(dueAt: number): void;
  stop(): void;
}

/** The limit is a literal: with a parameter, SQLite prepares the statement again each time. */
const DUE = 'select * from settlements where due_at <= ? order by due_at, id limit 50';
const RETRY_MS = 5000;

const TASKS: Record<Task, (context: SandboxContext, uuid: string, detail: never) => unknown> = {
  verify: settleVerification,
  activate,
  transfer: (context, uuid, detail: { status: 'COMPLETED' | 'FAILED' }) =>
    settleTransfer(context, uuid, detail),
  payout: (context, uuid, detail: PayoutStep) => settlePayout(context, uuid, detail),
  contestation: settleContestation,
};

/** Creates the loop. `context` is a function, because the context contains this loop's timer. */
export function createSettlement(now: () => number, context: () => SandboxContext): Loop {
  const timer = createTimer(now, () => run(context()));

  function run(current: SandboxContext): void {
    const due = current.store.all<Settlement>(DUE, now());
    for (const row of due) settle(current, row);
    const next = current.store.get<{ due_at: number }>(
      'select due_at from settlements order by due_at limit 1',
    );
    if (next) timer.at(next.due_at);
  }

  return { wake: (dueAt) => timer.at(dueAt), stop: () => timer.stop() };
}

/** Runs a planned step. A step that throws is a fault of the sandbox: it is postponed, so that it cannot block the others. */
function settle(context: SandboxContext, row: Settlement): void {
  try {
    context.store.transaction(() => {
      context.store.run('delete from settlements where id = ?', row.id);
      TASKS[row.task](context, row.uuid, JSON.parse(row.detail) as never);
    });
  } catch (error) {
    context.options.log(`sandbox: ${row.task} of ${row.uuid} failed: ${String(error)}`);
    context.store.run('update settlements set due_at = ? where id = ?', context.now() + RETRY_MS, row.id);
  }
}
