// The loop that receives late requests. The usual handler processes each of them, later and without an answer.

import { handlers } from '../provider/index.ts';
import type { Call, Operation } from '../provider/operation.ts';
import { attempt } from '../provider/reply.ts';
import type { Loop } from '../settle.ts';
import type { LateRequestRow } from '../store/rows.ts';
import { createTimer } from '../timer.ts';
import type { World } from '../world.ts';
import { conclude } from './late.ts';
import { maybeForgetHandle } from './twins.ts';

const RETRY_MS = 5000;

/** Creates the loop. `world` is a function, because the world contains this loop's timer. */
export function createLateRequests(now: () => number, world: () => World): Loop {
  const timer = createTimer(now, () => run(world()));

  function run(current: World): void {
    const sql = 'select * from late_requests where received_at is null order by due_at, id';
    const due = current.store.all<LateRequestRow>(sql).filter(({ due_at }) => due_at <= now());
    for (const row of due) receive(current, row);
    const next = current.store.get<LateRequestRow>(`${sql} limit 1`);
    if (next) timer.at(next.due_at);
  }

  return { wake: (dueAt) => timer.at(dueAt), stop: () => timer.stop() };
}

/**
 * Handles a late request. A refusal rolls back the work, so its result is stored afterwards. A fault of the sandbox is retried
 * later.
 */
function receive(world: World, row: LateRequestRow): void {
  try {
    const call = callOf(row);
    world.store.transaction(() => maybeForgetHandle(world, call));
    const reply = attempt(() =>
      world.store.transaction(() => {
        const done = handlerOf(call)(world, call);
        conclude(world, row, done);
        return done;
      }),
    );
    if (reply.status >= 400) world.store.transaction(() => conclude(world, row, reply));
  } catch (error) {
    world.options.log(`sandbox: the late ${row.operation} ${row.id} failed: ${String(error)}`);
    world.store.run('update late_requests set due_at = ? where id = ?', world.now() + RETRY_MS, row.id);
  }
}

const callOf = ({ operation, request }: LateRequestRow): Call<never> =>
  ({ ...JSON.parse(request), operation }) as Call<never>;

const handlerOf = ({ operation }: Call): Operation => handlers[operation];
