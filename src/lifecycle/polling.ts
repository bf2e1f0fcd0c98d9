// When a resource is polled and when no more: until its final state was applied, however often that was seen before.
import type { Db } from '../database/orm.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import { nextCheckAt } from './checks.ts';
import type { Resource } from './resource.ts';

/** Whether nothing more is to come, once it is applied. A refused verification can be approved without a callback. */
export const isLastWord = (snapshot: Snapshot): boolean =>
  eventOf(snapshot) !== null && !(snapshot.kind === 'owner' && snapshot.status === 'failed');

export const nextPollAt = ({ checks }: Resource, now: Date): Date => nextCheckAt(checks, now);

export async function stopPolling(tx: Db, { handle, check_at }: Resource): Promise<void> {
  if (check_at !== null) await setPoll(tx, handle, null);
}

export async function keepPolling(tx: Db, resource: Resource, now: Date): Promise<void> {
  if (resource.check_at === null) await setPoll(tx, resource.handle, nextPollAt(resource, now));
}

async function setPoll(tx: Db, handle: string, check_at: Date | null): Promise<void> {
  await tx.updateTable('provider_resources').set({ check_at }).where('handle', '=', handle).execute();
}
