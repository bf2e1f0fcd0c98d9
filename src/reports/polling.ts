// Decides when a resource is polled. Polling ends only when the resource's final state has been applied, or when a verification is
// abandoned.

import type { Snapshot } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import {
  pollAnnouncedResource,
  resumePolls,
  setNextPoll,
  setPollCount,
} from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';

/** Whether a status is final. A refused verification is not: it can be approved later, and no callback reports that. */
export const isFinal = (kind: Snapshot['kind'], status: Snapshot['status']): boolean =>
  status !== 'pending' &&
  status !== 'provisioning' &&
  status !== 'open' &&
  !(kind === 'owner' && status === 'failed');

/** If this many polls (in about an hour) do not show what a callback announced, the announcement counts as false. */
const POLLS_FOR_ANNOUNCED = 5;

/** Whether a resource needs no further poll once the snapshot is applied to it. */
export const isSettledBy = (resource: Entity<'ProviderResource'>, snapshot: Snapshot, now: Date): boolean =>
  (isFinal(snapshot.kind, snapshot.status) || isAbandoned(snapshot, now)) &&
  !isMoreAnnounced(resource, snapshot);

const DAY_MS = 24 * 60 * 60_000;

/**
 * Whether an open verification is no longer polled: its page expired more than a day ago or, without an expiry, it was last updated
 * more than a day ago. The user can no longer complete such a page, and a refusal is seldom overturned later. The nightly
 * reconciliation and GET /kyc/status still fetch it.
 */
const isAbandoned = (snapshot: Snapshot, now: Date): boolean =>
  snapshot.kind === 'owner' &&
  now.getTime() - (snapshot.verificationUrlExpiresAt ?? snapshot.updatedAt).getTime() > DAY_MS;

const isMoreAnnounced = (
  { announcedAt: at, pollCount }: Entity<'ProviderResource'>,
  { updatedAt }: Snapshot,
): boolean => at !== null && at > updatedAt && pollCount < POLLS_FOR_ANNOUNCED;

/** Polls a resource like a new one, even if it is final, because a callback announced a change that cannot be read yet. */
export async function pollForAnnounced(
  tx: Db,
  { userId }: { userId: string },
  { handle, providerRef }: Snapshot,
  announcedAt: Date,
): Promise<void> {
  await pollAnnouncedResource(tx, {
    handle: handle.toLowerCase(),
    userId,
    providerRef,
    announcedAt,
    pollInMs: pollDelayMs(0),
  });
}

export async function stopPolling(tx: Db, resource: Entity<'ProviderResource'>): Promise<void> {
  if (resource.nextPollAt !== null) await setNextPoll(tx, { ...resource, pollInMs: null });
}

export async function keepPolling(tx: Db, resource: Entity<'ProviderResource'>): Promise<void> {
  if (resource.nextPollAt === null)
    await setNextPoll(tx, { ...resource, pollInMs: pollDelayMs(resource.pollCount) });
}

/**
 * Keeps polling a vanished resource. The look-up that found nothing counts as a poll, because `resolveVanished` ignores resources
 * that were never polled.
 */
export async function pollVanished(tx: Db, resource: Entity<'ProviderResource'>): Promise<void> {
  const { pollCount } = resource;
  await setPollCount(tx, { ...resource, pollCount: Math.max(1, pollCount) });
  await keepPolling(tx, resource);
}

/**
 * Resumes the polls of a resource, if it is ours: after a callback named an id that the provider does not know, and before a
 * verification is restarted.
 */
export async function resumePolling(db: Db, providerRef: string): Promise<void> {
  await resumePolls(db, { providerRef, pollInMs: pollDelayMs(0) });
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const delaysMs = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** Returns in how many milliseconds a resource is polled next. `pollCount` is the number of polls so far. */
export const pollDelayMs = (pollCount: number): number => delaysMs[pollCount] ?? HOUR;
