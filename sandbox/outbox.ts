// Stores callbacks together with the change that they report. They are delivered from here.

import type { CallbackResource, NewCallback } from './callback-log.ts';
import { isoTime } from './time.ts';
import type { World } from './world.ts';

export type CallbackEvent =
  | 'account.status_updated'
  | 'movement.created'
  | 'internal_transfer.updated'
  | 'payout.updated';

/**
 * Puts a callback in the outbox, unless a fault loses it. Each delivery uses the address that its resource has at that time.
 * @param row the resource, with the address and the time of the change.
 */
export function enqueueCallback(
  world: World,
  event: CallbackEvent,
  resource: CallbackResource,
  row: { uuid: string; callback_url: string | null; updated_at: number },
  data: object,
): void {
  if (row.callback_url === null) return;
  const now = world.now();
  const report = { event, data: world.seams.bodySent(data), updated_at: isoTime(row.updated_at) };
  const callback = { event, resource, uuid: row.uuid, body: JSON.stringify(report), createdAt: now };
  const { delaysMs, isDelayed } = world.seams.callbackStored(event);
  if (delaysMs.length === 0) world.callbackLog.lost(callback);
  for (const delayMs of delaysMs) {
    const id = storeCallback(world, callback, now + delayMs);
    world.callbackLog.stored(id, now + delayMs, callback);
    if (isDelayed) world.faultInjection.overtaking.wait(id);
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
