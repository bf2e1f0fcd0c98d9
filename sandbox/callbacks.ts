// Delivers the outbox: at least once, many at a time, again and again with growing pauses, for a day.
import { setMaxListeners } from 'node:events';
import { Agent, request } from 'undici';
import { callbackArrived } from './fault-injection/callbacks.ts';
import type { CallbackResource } from './outbox.ts';
import { createTimer } from './timer.ts';
import type { World } from './world.ts';

interface Callback {
  id: number;
  attempts: number;
  created_at: number;
  resource: CallbackResource;
  uuid: string;
  body: string;
}

export interface CallbackDispatcher {
  wake(dueAt: number): void;
  /** Ends deliveries under way; their rows stay and are sent again after the next start. */
  stop(): Promise<void>;
}

const MOST_AT_ONCE = 32;
const TIMEOUT_MS = 10_000;
const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000];
const GIVE_UP_MS = 86_400_000;

const ADDRESS: Record<CallbackResource, string> = {
  accounts: 'select callback_url from accounts where uuid = ?',
  transfers: 'select callback_url from transfers where uuid = ?',
  payouts: 'select callback_url from payouts where uuid = ?',
};

/** `world` is asked for late, because the world holds this dispatcher's timer. */
export function createCallbackDispatcher(now: () => number, world: () => World): CallbackDispatcher {
  const agent = new Agent({ connections: MOST_AT_ONCE, pipelining: 1, keepAliveTimeout: 30_000 });
  const timer = createTimer(now, () => dispatch(world()));
  const ending = new AbortController();
  setMaxListeners(2 * MOST_AT_ONCE, ending.signal);
  /** By id, until their rows say what became of them. After a crash nothing is under way, and all are sent again. */
  const underWay = new Map<number, Promise<void>>();

  /** Starts what is due as far as there is room, and comes back when something ends or falls due. */
  function dispatch({ store }: World): void {
    const time = now();
    if (underWay.size >= MOST_AT_ONCE || ending.signal.aborted) return;
    const due = store
      .all<Callback>(
        'select * from callbacks where due_at <= ? order by due_at, id limit ?',
        time,
        MOST_AT_ONCE + underWay.size,
      )
      .filter(({ id }) => !underWay.has(id));
    for (const callback of due.slice(0, MOST_AT_ONCE - underWay.size))
      underWay.set(callback.id, carry(callback));
    if (underWay.size >= MOST_AT_ONCE) return;
    const next = store.get<{ due_at: number }>(
      'select due_at from callbacks where due_at > ? order by due_at limit 1',
      time,
    );
    if (next) timer.at(next.due_at);
  }

  async function carry(callback: Callback): Promise<void> {
    const isDelivered = await deliver(callback);
    if (ending.signal.aborted) return;
    if (isDelivered) callbackArrived(world(), callback);
    concluded.push({ callback, isDelivered });
    if (concluded.length === 1) setImmediate(concludeAll);
  }

  const concluded: { callback: Callback; isDelivered: boolean }[] = [];

  /** What ends at the same time is written together. */
  function concludeAll(): void {
    const all = concluded.splice(0);
    if (ending.signal.aborted) return;
    world().store.transaction(() => {
      for (const { callback, isDelivered } of all) conclude(world(), callback, isDelivered);
    });
    for (const { callback } of all) underWay.delete(callback.id);
    timer.at(now());
  }

  /** True when a 2xx took it in. */
  async function deliver({ resource, uuid, body }: Callback): Promise<boolean> {
    const url = world().store.get<{ callback_url: string | null }>(ADDRESS[resource], uuid)?.callback_url;
    if (!url) return true;
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: agent,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        signal: ending.signal,
      });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  }

  return {
    wake: (dueAt) => timer.at(dueAt),
    async stop() {
      timer.stop();
      ending.abort();
      await Promise.all(underWay.values());
      await agent.destroy();
    },
  };
}

function conclude(world: World, { id, attempts, created_at }: Callback, delivered: boolean): void {
  const now = world.now();
  if (delivered || now - created_at > GIVE_UP_MS) {
    world.store.run('delete from callbacks where id = ?', id);
    return;
  }
  const pauseMs = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] ?? GIVE_UP_MS;
  const sql = 'update callbacks set attempts = attempts + 1, due_at = ? where id = ?';
  world.store.run(sql, now + pauseMs, id);
}
