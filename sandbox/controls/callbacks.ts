// Routes that list callbacks, send one again, send it later, or lose it.
import { Router } from 'express';
import type { LoggedCallback } from '../callback-log.ts';
import { callbacksOf } from '../console/recent-callbacks.ts';
import type { SandboxContext } from '../context.ts';
import { deleteCallback, storeCallback } from '../outbox.ts';
import { ok } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { attempt, send } from '../provider/reply.ts';
import { isoTime } from '../time.ts';
import { answer } from './answer.ts';
import { delayIn } from './values.ts';

type Change = (context: SandboxContext, callback: LoggedCallback, body: Record<string, unknown>) => void;

const DEFAULT_DELAY_MS = 60_000;

const CHANGES = new Map<string, Change>([
  ['resend', resend],
  ['delay', delay],
  ['lose', lose],
]);

export function callbackRoutes(context: SandboxContext): Router {
  const router = Router();
  router.get('/', (request, response) => {
    const { about } = request.query;
    const callbacks = callbacksOf(context, typeof about === 'string' ? about.toLowerCase() : undefined);
    send(response, ok({ results: callbacks.map(present) }));
  });
  router.post('/:id/:action', (request, response, next) => {
    const { id, action } = request.params;
    const work = CHANGES.get(action);
    if (!work) return next();
    const reply = attempt(() => {
      const callback = context.callbackLog.get(Number(id));
      if (!callback)
        throw refuse('not_found', 'no such callback: the sandbox remembers the last 500 of this run');
      context.store.transaction(() =>
        work(context, callback, (request.body ?? {}) as Record<string, unknown>),
      );
      return ok(present(callback));
    });
    answer(request, response, reply, action);
  });
  return router;
}

/** Sends a waiting callback now, and any other callback once more. */
function resend(context: SandboxContext, callback: LoggedCallback): void {
  const now = context.now();
  if (callback.state === 'sending') throw refuse('rejected', 'it is being sent', 409);
  if (callback.state === 'waiting') return moveTo(context, callback, now);
  const row = storeCallback(context, { ...callback, createdAt: now }, now);
  context.callbackLog.change(callback.id, { row, dueAt: now, state: 'waiting' });
}

function delay(context: SandboxContext, callback: LoggedCallback, body: Record<string, unknown>): void {
  assertWaits(callback, 'delayed');
  moveTo(context, callback, context.now() + delayIn(body, 'forMs', DEFAULT_DELAY_MS));
}

function lose(context: SandboxContext, callback: LoggedCallback): void {
  assertWaits(callback, 'lost');
  if (callback.row !== null) deleteCallback(context, callback.row);
  context.callbackLog.change(callback.id, { state: 'lost' });
}

function moveTo(context: SandboxContext, { id, row }: LoggedCallback, dueAt: number): void {
  context.store.run('update callbacks set due_at = ? where id = ?', dueAt, row);
  context.callbackLog.change(id, { dueAt });
  context.wake.callbacks(dueAt);
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
