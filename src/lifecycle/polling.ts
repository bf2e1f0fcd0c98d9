// When a resource is polled and when no more: until its final state was applied, however often that was seen before.
import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';
import { scheduledPollAt } from './poll-schedule.ts';

/** Whether nothing more is awaited after it. A refused verification can be approved later, and no callback tells of it. */
export const isFinal = (kind: Snapshot['kind'], status: Snapshot['status']): boolean =>
  status !== 'pending' && status !== 'provisioning' && !(kind === 'owner' && status === 'failed');

/** So many polls, in an hour or so, show what a callback announced, or else it was not true. */
const POLLS_FOR_ANNOUNCED = 5;

/** Whether a resource needs no further poll once the snapshot is applied to it. */
export const isSettledBy = (resource: ProviderResourceRow, snapshot: Snapshot): boolean =>
  isFinal(snapshot.kind, snapshot.status) && !isMoreAnnounced(resource, snapshot);

const isMoreAnnounced = (
  { announced_at: at, poll_count }: ProviderResourceRow,
  { updatedAt }: Snapshot,
): boolean => at !== null && at > updatedAt && poll_count < POLLS_FOR_ANNOUNCED;

/** A callback announced what cannot be read yet: the resource is polled as a new one is, even when it is final. */
export async function pollForAnnounced(
  tx: Db,
  { handle, providerRef }: Snapshot,
  announcedAt: Date,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('provider_resources')
    .set({ announced_at: announcedAt, poll_count: 0, next_poll_at: scheduledPollAt(0, now) })
    .where('handle', '=', handle.toLowerCase())
    .where('provider_ref', '=', providerRef)
    .where('snapshot_updated_at', '<', announcedAt)
    .where((each) => each.or([each('announced_at', 'is', null), each('announced_at', '<', announcedAt)]))
    .execute();
}

export const nextPollAt = ({ poll_count }: ProviderResourceRow, now: Date): Date =>
  scheduledPollAt(poll_count, now);

export async function stopPolling(tx: Db, { handle, next_poll_at }: ProviderResourceRow): Promise<void> {
  if (next_poll_at !== null) await setPoll(tx, handle, null);
}

export async function keepPolling(tx: Db, resource: ProviderResourceRow, now: Date): Promise<void> {
  if (resource.next_poll_at === null) await setPoll(tx, resource.handle, nextPollAt(resource, now));
}

/** A look-up that found nothing counts as a poll: what was never polled needs no asking whether it had vanished. */
export async function pollVanished(tx: Db, resource: ProviderResourceRow, now: Date): Promise<void> {
  const { handle, poll_count, next_poll_at: planned } = resource;
  await tx
    .updateTable('provider_resources')
    .set({ poll_count: Math.max(1, poll_count), next_poll_at: planned ?? nextPollAt(resource, now) })
    .where('handle', '=', handle)
    .execute();
}

async function setPoll(tx: Db, handle: string, next_poll_at: Date | null): Promise<void> {
  await tx.updateTable('provider_resources').set({ next_poll_at }).where('handle', '=', handle).execute();
}

/** A callback is about what the provider does not know: where that is ours, polling finds out what became of it. */
export async function pollUnknown(db: Db, providerRef: string, now: Date): Promise<void> {
  await db
    .updateTable('provider_resources')
    .set({ poll_count: 0, next_poll_at: scheduledPollAt(0, now) })
    .where('provider_ref', '=', providerRef)
    .where('next_poll_at', 'is', null)
    .execute();
}
