// The callbacks that the console shows: those in memory, and those in the outbox that a former run left there.
import { type CallbackRow, type LoggedCallback, loggedCallback } from '../callback-log.ts';
import type { World } from '../world.ts';

const MOST = 200;

/** The newest first. @param about the resource's uuid; all of them without one. */
export function callbacksOf(world: World, about?: string): LoggedCallback[] {
  takeInStored(world);
  return world.callbackLog.list().filter(({ uuid }) => about === undefined || uuid === about);
}

function takeInStored({ store, callbackLog }: World): void {
  const rows = store.all<{ id: number }>('select id from callbacks order by id desc limit ?', MOST);
  for (const { id } of rows.filter((row) => callbackLog.ofRow(row.id) === undefined)) {
    const row = store.get<CallbackRow>('select * from callbacks where id = ?', id);
    if (row) loggedCallback(callbackLog, row);
  }
}
