// Stores callbacks together with the change that they report. They are delivered from here.

import type { CallbackResource, NewCallback } from './callback-log.ts';
import type { SandboxContext } from './context.ts';
import { isoTime } from './time.ts';

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
  context: SandboxContext,
  event: CallbackEvent,
  resource: CallbackResource,
  row: { uuid: string; callback_url: string | null; updated_at: number },
  data: object,
): void {
  if (row.callback_url === null) return;
  const now = context.now();
  const report = { event, data: context.seams.bodySent(data), updated_at: isoTime(row.updated_at) };
  const callback = { event, resource, uuid: row.uuid, body: JSON.stringify(report), createdAt: now };
  const { delaysMs, isDelayed } = context.seams.callbackStored(event);
  if (delaysMs.length === 0) context.callbackLog.lost(callback);
  for (const delayMs of delaysMs) {
    const id = storeCallback(context, callback, now + delayMs);
    context.callbackLog.stored(id, now + delayMs, callback);
    if (isDelayed) context.faultInjection.overtaking.wait(id);
  }
}

/** @returns the number of its row in the outbox. */
export function storeCallback(
  context: SandboxContext,
  { createdAt, resource, uuid, body }: NewCallback,
  dueAt: number,
): number {
  const sql = 'insert into callbacks (due_at, created_at, resource, uuid, body) values (?, ?, ?, ?, ?)';
  const { id } = context.store.run(sql, dueAt, createdAt, resource, uuid, body);
  context.wake.callbacks(dueAt);
  return id;
}

export function deleteCallback({ store, callbackLog }: SandboxContext, row: number): void {
  store.run('delete from callbacks where id = ?', row);
  callbackLog.rowDeleted(row);
}
