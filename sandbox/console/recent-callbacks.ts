// The callbacks that the console shows: those in memory, and those that a former run left in the outbox.
import { type CallbackRow, type LoggedCallback, loggedCallback } from '../callback-log.ts';
import type { SandboxContext } from '../context.ts';

const MOST = 200;

/**
 * Returns callbacks, newest first.
 * @param about the uuid of a resource. Without it, all callbacks are returned.
 */
export function callbacksOf(context: SandboxContext, about?: string): LoggedCallback[] {
  takeInStored(context);
  return context.callbackLog.list().filter(({ uuid }) => about === undefined || uuid === about);
}

function takeInStored({ store, callbackLog }: SandboxContext): void {
  const rows = store.all<{ id: number }>('select id from callbacks order by id desc limit ?', MOST);
  for (const { id } of rows.filter((row) => callbackLog.ofRow(row.id) === undefined)) {
    const row = store.get<CallbackRow>('select * from callbacks where id = ?', id);
    if (row) loggedCallback(callbackLog, row);
  }
}
