// Delivers the outbox: at least once, concurrently, with growing pauses between attempts, for a day.
import { type CallbackRow, loggedCallback } from './callback-log.ts';
import { createCallbackSender } from './callback-sender.ts';
import type { SandboxContext } from './context.ts';
import { callbackArrived } from './faults/callback-sent.ts';
import { deleteCallback } from './outbox.ts';
import { createTimer } from './timer.ts';

export interface CallbackDispatcher {
  wake(dueAt: number): void;
  /** Aborts the deliveries in flight. Their rows stay and are sent again after the next start. */
  stop(): Promise<void>;
}

const MAX_CONCURRENCY = 32;
const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000];
const GIVE_UP_MS = 86_400_000;
/** Without faults, deliveries that end within this time are stored together: each commit costs as much as a delivery. */
const TOGETHER_MS = 20;

/** How many ids are read together, or a multiple of it. */
const BATCH = 128;
/**
 * Selects only the ids, because the index contains them. The limit is a literal: with a parameter, SQLite prepares the statement
 * again each time.
 */
const dueIds = (atLeast: number): string =>
  `select id from callbacks where due_at <= ? order by due_at, id limit ${Math.ceil(atLeast / BATCH) * BATCH}`;

/** Selects a callback with the current address of its resource. */
const WITH_ADDRESS = `
  select *, case resource
    when 'accounts' then (select callback_url from accounts where uuid = callbacks.uuid)
    when 'transfers' then (select callback_url from transfers where uuid = callbacks.uuid)
    else (select callback_url from payouts where uuid = callbacks.uuid)
  end as callback_url
  from callbacks where id = ?`;

const NEXT_DUE = 'select due_at from callbacks where due_at > ? order by due_at limit 1';

type Addressed = CallbackRow & { callback_url: string | null };

/** Creates the dispatcher. `context` is a function, because the context contains this dispatcher's timer. */
export function createCallbackDispatcher(
  now: () => number,
  context: () => SandboxContext,
): CallbackDispatcher {
  const sender = createCallbackSender(MAX_CONCURRENCY);
  const timer = createTimer(now, dispatchSoon);
  let isDispatchSoon = false;
  let isStopping = false;
  const inFlight = new Map<number, Promise<void>>();
  const concluded = createConclusions(context, () => {
    if (!isStopping) timer.at(now());
  });

  /** Dispatches after everything that this turn of the event loop settles, so that those callbacks share a turn. */
  function dispatchSoon(): void {
    isDispatchSoon = true;
    setImmediate(() => {
      isDispatchSoon = false;
      dispatch(context());
    });
  }

  /** Starts due deliveries up to the limit, and runs again when a delivery ends or a callback becomes due. */
  function dispatch({ store }: SandboxContext): void {
    const time = now();
    if (inFlight.size >= MAX_CONCURRENCY || isStopping) return;
    const due = store
      .all<{ id: number }>(dueIds(MAX_CONCURRENCY + inFlight.size + concluded.size()), time)
      .filter(({ id }) => !inFlight.has(id) && !concluded.has(id));
    for (const { id } of due.slice(0, MAX_CONCURRENCY - inFlight.size)) {
      const callback = store.get<Addressed>(WITH_ADDRESS, id);
      if (callback) inFlight.set(id, carry(callback));
    }
    if (inFlight.size >= MAX_CONCURRENCY) return;
    const next = store.get<{ due_at: number }>(NEXT_DUE, time);
    if (next) timer.at(next.due_at);
  }

  async function carry(callback: Addressed): Promise<void> {
    const { callbackLog: log } = context();
    const { id, attempts } = loggedCallback(log, callback);
    log.change(id, { state: 'sending' });
    const at = now();
    const status = await deliver(sender, callback);
    const isDelivered = status !== null && status >= 200 && status < 300;
    if (isStopping && !isDelivered) return;
    log.change(id, {
      attempts: [...attempts, { at, status, ms: now() - at }],
      ...(isDelivered && { state: 'delivered' }),
    });
    if (isDelivered) callbackArrived(context(), callback);
    if (inFlight.size >= MAX_CONCURRENCY) timer.at(now());
    inFlight.delete(callback.id);
    concluded.add(callback, isDelivered);
  }

  return {
    wake(dueAt) {
      if (!isDispatchSoon || dueAt > now()) timer.at(dueAt);
    },
    async stop() {
      timer.stop();
      isStopping = true;
      await sender.stop();
      await Promise.all(inFlight.values());
      concluded.store();
    },
  };
}

/** Returns the status of the receiver's answer. Null if none arrived. A callback without an address counts as delivered. */
const deliver = async (
  sender: ReturnType<typeof createCallbackSender>,
  { callback_url: url, body }: Addressed,
): Promise<number | null> => (url ? sender.send(url, body) : 204);

/**
 * Creates the deliveries whose outcome is not stored yet. A crash loses these outcomes, and the callbacks are sent again.
 * @param repeat called when callbacks that were not delivered have a new due time.
 */
function createConclusions(context: () => SandboxContext, repeat: () => void) {
  const concluded = new Map<number, { callback: CallbackRow; isDelivered: boolean }>();
  function storeAll(): void {
    if (concluded.size === 0) return;
    const all = [...concluded.values()];
    context().store.transaction(() => {
      for (const { callback, isDelivered } of all) conclude(context(), callback, isDelivered);
    });
    concluded.clear();
    if (all.some(({ isDelivered }) => !isDelivered)) repeat();
  }
  return {
    size: () => concluded.size,
    has: (id: number) => concluded.has(id),
    add(callback: CallbackRow, isDelivered: boolean): void {
      concluded.set(callback.id, { callback, isDelivered });
      if (concluded.size > 1) return;
      if (context().faultInjection.isOff()) setTimeout(storeAll, TOGETHER_MS);
      else setImmediate(storeAll);
    },
    store: storeAll,
  };
}

function conclude(
  context: SandboxContext,
  { id, attempts, created_at }: CallbackRow,
  delivered: boolean,
): void {
  const now = context.now();
  const logged = context.callbackLog.ofRow(id);
  if (delivered || now - created_at > GIVE_UP_MS) {
    deleteCallback(context, id);
    if (logged && !delivered) context.callbackLog.change(logged.id, { state: 'abandoned' });
    return;
  }
  const pauseMs = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] ?? GIVE_UP_MS;
  const sql = 'update callbacks set attempts = attempts + 1, due_at = ? where id = ?';
  context.store.run(sql, now + pauseMs, id);
  if (logged) context.callbackLog.change(logged.id, { state: 'waiting', dueAt: now + pauseMs });
}
