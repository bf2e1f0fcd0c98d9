// Routes that list callbacks, send one again, send it later, or lose it.
import { Router } from 'express';
import type { LoggedCallback } from '../callback-log.ts';
import { callbacksOf } from '../console/recent-callbacks.ts';
import { deleteCallback, storeCallback } from '../outbox.ts';
import { ok } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { attempt, send } from '../provider/reply.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { answer } from './answer.ts';
import { delayIn } from './values.ts';

type Change = (world: World, callback: LoggedCallback, body: Record<string, unknown>) => void;

const DEFAULT_DELAY_MS = 60_000;

const CHANGES = new Map<string, Change>([
  ['resend', resend],
  ['delay', delay],
  ['lose', lose],
]);

export function callbackRoutes(world: World): Router {
  const router = Router();
  router.get('/', (request, response) => {
    const { about } = request.query;
    const callbacks = callbacksOf(world, typeof about === 'string' ? about.toLowerCase() : undefined);
    send(response, ok({ results: callbacks.map(present) }));
  });
  router.post('/:id/:action', (request, response, next) => {
    const { id, action } = request.params;
    const work = CHANGES.get(action);
    if (!work) return next();
    const reply = attempt(() => {
      const callback = world.callbackLog.get(Number(id));
      if (!callback)
        throw refuse('not_found', 'no such callback: the sandbox remembers the last 500 of this run');
      world.store.transaction(() => work(world, callback, (request.body ?? {}) as Record<string, unknown>));
      return ok(present(callback));
    });
    answer(request, response, reply, action);
  });
  return router;
}

/** Sends a waiting callback now, and any other callback once more. */
function resend(world: World, callback: LoggedCallback): void {
  const now = world.now();
  if (callback.state === 'sending') throw refuse('rejected', 'it is being sent', 409);
  if (callback.state === 'waiting') return moveTo(world, callback, now);
  const row = storeCallback(world, { ...callback, createdAt: now }, now);
  world.callbackLog.change(callback.id, { row, dueAt: now, state: 'waiting' });
}

function delay(world: World, callback: LoggedCallback, body: Record<string, unknown>): void {
  assertWaits(callback, 'delayed');
  moveTo(world, callback, world.now() + delayIn(body, 'forMs', DEFAULT_DELAY_MS));
}

function lose(world: World, callback: LoggedCallback): void {
  assertWaits(callback, 'lost');
  if (callback.row !== null) deleteCallback(world, callback.row);
  world.callbackLog.change(callback.id, { state: 'lost' });
}

function moveTo(world: World, { id, row }: LoggedCallback, dueAt: number): void {
  world.store.run('update callbacks set due_at = ? where id = ?', dueAt, row);
  world.callbackLog.change(id, { dueAt });
  world.wake.callbacks(dueAt);
}

function assertWaits({ state }: LoggedCallback, what: string): void {
  const now = {
    sending: 'being sent',
    delivered: 'delivered',
    lost: 'lost',
    abandoned: 'given up',
    waiting: '',
  };
  if (state !== 'waiting')
    throw refuse('rejected', `it is ${now[state]}: only one that waits can be ${what}`, 409);
}

const present = (callback: LoggedCallback) => ({
  id: callback.id,
  event: callback.event,
  resource: callback.resource,
  uuid: callback.uuid,
  state: callback.state,
  created_at: isoTime(callback.createdAt),
  due_at: callback.state === 'waiting' ? isoTime(callback.dueAt) : null,
  attempts: callback.attempts.map(({ at, status, ms }) => ({ at: isoTime(at), status, ms })),
  body: JSON.parse(callback.body) as object,
});
