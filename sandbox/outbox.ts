// Stores callbacks together with the change that they report. They are delivered from here.

import type { CallbackResource, NewCallback } from './callback-log.ts';
import { fateOf } from './fault-injection/callbacks.ts';
import { isoTime } from './time.ts';
import type { World } from './world.ts';

export type CallbackEvent =
  | 'account.status_updated'
  | 'movement.created'
  | 'internal_transfer.updated'
  | 'payout.updated';

/**
 * Puts a callback in the outbox, unless fault injection keeps it back. Each delivery uses the address that its resource has at that
 * time.
 */
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
  const callback = { event, resource: to.resource, uuid: to.uuid, body, createdAt: now };
  const { delaysMs, isHeld } = fateOf(world, event);
  if (delaysMs.length === 0) world.callbackLog.lost(callback);
  for (const delayMs of delaysMs) {
    const id = storeCallback(world, callback, now + delayMs);
    world.callbackLog.stored(id, now + delayMs, callback);
    if (isHeld) world.faultInjection.held.hold(id);
  }
}

/** @returns the number of its row in the outbox. */
export function storeCallback(
  world: World,
  { createdAt, resource, uuid, body }: NewCallback,
  dueAt: number,
): number {
  const sql = 'insert into callbacks (due_at, created_at, resource, uuid, body) values (?, ?, ?, ?, ?)';
  const { id } = world.store.run(sql, dueAt, createdAt, resource, uuid, body);
  world.wake.callbacks(dueAt);
  return id;
}

export function deleteCallback({ store, callbackLog }: World, row: number): void {
  store.run('delete from callbacks where id = ?', row);
  callbackLog.rowDeleted(row);
}
