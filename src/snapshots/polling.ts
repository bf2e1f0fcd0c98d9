// When a resource is polled, and when no longer: until its final state was applied, however often it was fetched before.
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';
import { planPoll, pollAnnouncedResource, resumePolls, setNextPoll } from '../sql/provider-resources.ts';
import { scheduledPollAt } from './poll-schedule.ts';

/** Whether no event is awaited after it. A refused verification can be approved later, and no callback reports that. */
export const isFinal = (kind: Snapshot['kind'], status: Snapshot['status']): boolean =>
  status !== 'pending' && status !== 'provisioning' && !(kind === 'owner' && status === 'failed');

/** So many polls, in an hour or so, fetch what a callback announced, or else it was not true. */
const POLLS_FOR_ANNOUNCED = 5;

/** Whether a resource needs no further poll once the snapshot is applied to it. */
export const isSettledBy = (resource: Entity<'ProviderResource'>, snapshot: Snapshot, now: Date): boolean =>
  (isFinal(snapshot.kind, snapshot.status) || isAbandoned(snapshot, now)) &&
  !isMoreAnnounced(resource, snapshot);

const DAY_MS = 24 * 60 * 60_000;

/**
 * Whether a verification is polled no more although it is open: nobody can fill in a page that expired a day ago, and a refusal
 * is seldom overturned later. The nightly reconciliation and GET /kyc/status still ask.
 */
const isAbandoned = (snapshot: Snapshot, now: Date): boolean =>
  snapshot.kind === 'owner' &&
  now.getTime() - (snapshot.verificationUrlExpiresAt ?? snapshot.updatedAt).getTime() > DAY_MS;

const isMoreAnnounced = (
  { announcedAt: at, pollCount }: Entity<'ProviderResource'>,
  { updatedAt }: Snapshot,
): boolean => at !== null && at > updatedAt && pollCount < POLLS_FOR_ANNOUNCED;

/** A callback announced what cannot be read yet: the resource is polled as a new one is, even when it is final. */
export async function pollForAnnounced(
  tx: Db,
  { handle, providerRef }: Snapshot,
  announcedAt: Date,
  now: Date,
): Promise<void> {
  await pollAnnouncedResource(tx, {
    handle: handle.toLowerCase(),
    providerRef,
    announcedAt,
    nextPollAt: scheduledPollAt(0, now),
  });
}

export const nextPollAt = ({ pollCount }: Entity<'ProviderResource'>, now: Date): Date =>
  scheduledPollAt(pollCount, now);

export async function stopPolling(tx: Db, resource: Entity<'ProviderResource'>): Promise<void> {
  if (resource.nextPollAt !== null) await setNextPoll(tx, { ...resource, nextPollAt: null });
}

export async function keepPolling(tx: Db, resource: Entity<'ProviderResource'>, now: Date): Promise<void> {
  if (resource.nextPollAt === null)
    await setNextPoll(tx, { ...resource, nextPollAt: nextPollAt(resource, now) });
}

/** A look-up that found nothing counts as a poll: a resource that was never polled cannot have vanished. */
export async function pollVanished(tx: Db, resource: Entity<'ProviderResource'>, now: Date): Promise<void> {
  const { handle, userId, pollCount, nextPollAt: planned } = resource;
  await planPoll(tx, {
    handle,
    userId,
    pollCount: Math.max(1, pollCount),
    nextPollAt: planned ?? nextPollAt(resource, now),
  });
}

/** A callback is about what the provider does not know: where that is ours, polling finds out what became of it. */
export async function pollUnknown(db: Db, providerRef: string, now: Date): Promise<void> {
  await resumePolls(db, { providerRef, nextPollAt: scheduledPollAt(0, now) });
}
