// Delivers the outbox: at least once, many at a time, again and again with growing pauses, for a day.
import { Agent, request } from 'undici';
import { createAlarm } from './alarm.ts';
import type { CallbackResource } from './outbox.ts';
import { callbackArrived } from './weather/callbacks.ts';
import type { World } from './world.ts';

interface Callback {
  id: number;
  attempts: number;
  created_at: number;
  resource: CallbackResource;
  uuid: string;
  body: string;
}

export interface Courier {
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

/** `world` is asked for late, because the world holds this courier's alarm. */
export function createCourier(now: () => number, world: () => World): Courier {
  const agent = new Agent({ connections: MOST_AT_ONCE, pipelining: 1, keepAliveTimeout: 30_000 });
  const alarm = createAlarm(now, () => dispatch(world()));
  const ending = new AbortController();
  const underWay = new Set<Promise<void>>();

  /** Claims what is due as far as there is room, and comes back when something ends or falls due. */
  function dispatch({ store }: World): void {
    const room = MOST_AT_ONCE - underWay.size;
    if (room <= 0 || ending.signal.aborted) return;
    const due = store.all<Callback>(
      'select * from callbacks where claimed = 0 and due_at <= ? order by due_at, id limit ?',
      now(),
      room,
    );
    if (due.length > 0)
      store.transaction(() => {
        for (const { id } of due) store.run('update callbacks set claimed = 1 where id = ?', id);
      });
    for (const callback of due) start(callback);
    if (underWay.size >= MOST_AT_ONCE) return;
    const next = store.get<{ due_at: number }>(
      'select due_at from callbacks where claimed = 0 order by due_at limit 1',
    );
    if (next) alarm.at(next.due_at);
  }

  function start(callback: Callback): void {
    const delivery = carry(callback).finally(() => underWay.delete(delivery));
    underWay.add(delivery);
  }

  async function carry(callback: Callback): Promise<void> {
    const delivered = await deliver(callback);
    if (ending.signal.aborted) return;
    conclude(world(), callback, delivered);
    if (delivered) callbackArrived(world(), callback);
    alarm.at(now());
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
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  }

  return {
    wake: (dueAt) => alarm.at(dueAt),
    async stop() {
      alarm.stop();
      ending.abort();
      await Promise.all(underWay);
      await agent.destroy();
    },
  };
}

/** After a crash nothing is under way any more. */
export function releaseClaims(world: World): void {
  world.store.run('update callbacks set claimed = 0 where claimed = 1');
}

function conclude(world: World, { id, attempts, created_at }: Callback, delivered: boolean): void {
  const now = world.now();
  if (delivered || now - created_at > GIVE_UP_MS) {
    world.store.run('delete from callbacks where id = ?', id);
    return;
  }
  const pauseMs = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] ?? GIVE_UP_MS;
  const sql = 'update callbacks set claimed = 0, attempts = attempts + 1, due_at = ? where id = ?';
  world.store.run(sql, now + pauseMs, id);
}
