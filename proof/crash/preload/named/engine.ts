// Replaces src/outbox/engine.ts: each piece of work runs under the name of its type.
import * as engine from '../../../../src/outbox/engine.ts';
import type { WorkHandler } from '../../../../src/outbox/work.ts';
import type { WorkKind } from '../../../../src/tables/work.ts';
import { asActor } from '../actor.ts';

export const createEngine: typeof engine.createEngine = (options) =>
  engine.createEngine({ ...options, handlers: named(options.handlers) });

const named = (handlers: Record<WorkKind, WorkHandler>): Record<WorkKind, WorkHandler> => ({
  effect: (work, whileCalling) => asActor(work.type, () => handlers.effect(work, whileCalling)),
  callback: (work, whileCalling) => asActor('dispatchWebhook', () => handlers.callback(work, whileCalling)),
  poll: (work, whileCalling) => asActor('poll', () => handlers.poll(work, whileCalling)),
  // Each page is named after its stage (see run.ts).
  page: handlers.page,
});
