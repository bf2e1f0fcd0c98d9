// The loop that runs planned steps: each due row is one transaction, which also deletes the row.

import { activate } from './provider/accounts.ts';
import { settleVerification } from './provider/owners.ts';
import type { PayoutStep } from './provider/payout-plan.ts';
import { settlePayout } from './provider/payouts.ts';
import { settleTransfer } from './provider/transfers.ts';
import type { Task } from './schedule.ts';
import { createTimer } from './timer.ts';
import type { World } from './world.ts';

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

const TASKS: Record<Task, (world: World, uuid: string, detail: never) => unknown> = {
  verify: settleVerification,
  activate,
  transfer: (world, uuid, detail: { status: 'COMPLETED' | 'FAILED' }) => settleTransfer(world, uuid, detail),
  payout: (world, uuid, detail: PayoutStep) => settlePayout(world, uuid, detail),
};

/** Creates the loop. `world` is a function, because the world contains this loop's timer. */
export function createSettlement(now: () => number, world: () => World): Loop {
  const timer = createTimer(now, () => run(world()));

  function run(current: World): void {
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
function settle(world: World, row: Settlement): void {
  try {
    world.store.transaction(() => {
      world.store.run('delete from settlements where id = ?', row.id);
      TASKS[row.task](world, row.uuid, JSON.parse(row.detail) as never);
    });
  } catch (error) {
    world.options.log(`sandbox: ${row.task} of ${row.uuid} failed: ${String(error)}`);
    world.store.run('update settlements set due_at = ? where id = ?', world.now() + RETRY_MS, row.id);
  }
}
