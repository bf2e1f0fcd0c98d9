// Routes of the sandbox's clock: they read it, and set it forward.
import { Router } from 'express';
import type { SandboxContext } from './context.ts';
import { ok } from './provider/operation.ts';
import { refuse } from './provider/refusal.ts';
import { attempt, send } from './provider/reply.ts';
import { isoTime } from './time.ts';

const MAX_MS = 31_536_000_000;

export function clockRoutes({ clock, wake }: SandboxContext): Router {
  const router = Router();
  const time = () => ok({ now: isoTime(clock.now()) });
  router.get('/', (_request, response) => send(response, time()));
  router.post('/', (request, response) => {
    const { advanceMs } = (request.body ?? {}) as { advanceMs?: unknown };
    const reply = attempt(() => {
      if (
        typeof advanceMs !== 'number' ||
        !Number.isInteger(advanceMs) ||
        advanceMs < 0 ||
        advanceMs > MAX_MS
      )
        throw refuse('invalid_request', `advanceMs must be a whole number from 0 to ${MAX_MS}`);
      clock.advance(advanceMs);
      // Timers that were set before do not notice the new time, so they are woken.
      for (const dueNow of Object.values(wake)) dueNow(clock.now());
      return time();
    });
    send(response, reply);
  });
  return router;
}
