// Stands in for src/outbox/engine.ts: each piece of work is carried out under its type's name.
import * as engine from '../../../../src/outbox/engine.ts';
import type { Carry } from '../../../../src/outbox/work.ts';
import type { WorkKind } from '../../../../src/sql/work.ts';
import { asActor } from '../actor.ts';

export const createEngine: typeof engine.createEngine = (options) =>
  engine.createEngine({ ...options, carry: named(options.carry) });

const named = (carry: Record<WorkKind, Carry>): Record<WorkKind, Carry> => ({
  effect: (work) => asActor(work.type, () => carry.effect(work)),
  callback: (work) => asActor('dispatchWebhook', () => carry.callback(work)),
  poll: (work) => asActor('poll', () => carry.poll(work)),
});
