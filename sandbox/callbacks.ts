// Delivers the outbox: at least once, concurrently, with growing pauses between attempts, for a day.
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
  /** Aborts deliveries in flight; their rows stay and are sent again after the next start. */
  stop(): Promise<void>;
}

const MAX_CONCURRENCY = 32;
const TIMEOUT_MS = 10_000;
const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000];
const GIVE_UP_MS = 86_400_000;

const ADDRESS: Record<CallbackResource, string> = {
  accounts: 'select callback_url from accounts where uuid = ?',
  transfers: 'select callback_url from transfers where uuid = ?',
  payouts: 'select callback_url from payouts where uuid = ?',
};

/** `world` is passed as a function, because the world holds this dispatcher's timer. */
export function createCallbackDispatcher(now: () => number, world: () => World): CallbackDispatcher {
  const agent = new Agent({ connections: MAX_CONCURRENCY, pipelining: 1, keepAliveTimeout: 30_000 });
  const timer = createTimer(now, () => dispatch(world()));
  const ending = new AbortController();
  setMaxListeners(2 * MAX_CONCURRENCY, ending.signal);
  /** By id, until their outcome is stored. After a crash nothing is in flight, and all are sent again. */
  const underWay = new Map<number, Promise<void>>();

  /** Starts due deliveries up to the limit, and runs again when one ends or falls due. */
  function dispatch({ store }: World): void {
    const time = now();
    if (underWay.size >= MAX_CONCURRENCY || ending.signal.aborted) return;
    const due = store
      .all<Callback>(
        'select * from callbacks where due_at <= ? order by due_at, id limit ?',
        time,
        MAX_CONCURRENCY + underWay.size,
      )
      .filter(({ id }) => !underWay.has(id));
    for (const callback of due.slice(0, MAX_CONCURRENCY - underWay.size))
      underWay.set(callback.id, carry(callback));
    if (underWay.size >= MAX_CONCURRENCY) return;
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

  /** Deliveries that end at the same time are written together. */
  function concludeAll(): void {
    const all = concluded.splice(0);
    if (ending.signal.aborted) return;
    world().store.transaction(() => {
      for (const { callback, isDelivered } of all) conclude(world(), callback, isDelivered);
    });
    for (const { callback } of all) underWay.delete(callback.id);
    timer.at(now());
  }

  /** True when the receiver answered with a 2xx. */
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
