// Callbacks are stored with the change that they report, and delivered from there.

import { fateOf } from './fault-injection/callbacks.ts';
import { isoTime } from './time.ts';
import type { World } from './world.ts';

export type CallbackResource = 'accounts' | 'transfers' | 'payouts';

export type CallbackEvent =
  | 'account.status_updated'
  | 'movement.created'
  | 'internal_transfer.updated'
  | 'payout.updated';

/** Puts a callback in the outbox, unless fault injection keeps it back. Its address is that of the resource at the time of each delivery. */
export function enqueueCallback(
  world: World,
  event: CallbackEvent,
  to: { resource: CallbackResource; uuid: string; callback_url: string | null },
  data: object,
  updatedAt: number,
): void {
  if (to.callback_url === null) return;
  const now = world.now();
  const body = JSON.stringify({ event, data, updated_at: isoTime(updatedAt) });
  const { delaysMs, isHeld } = fateOf(world, event);
  for (const delayMs of delaysMs) {
    const { id } = world.store.run(
      'insert into callbacks (due_at, created_at, resource, uuid, body) values (?, ?, ?, ?, ?)',
      now + delayMs,
      now,
      to.resource,
      to.uuid,
      body,
    );
    if (isHeld) world.faultInjection.held.hold(id);
    world.wake.callbacks(now + delayMs);
  }
}
