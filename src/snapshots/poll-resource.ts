// Polls a resource that is due: a lost callback costs seconds, not a night.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { scheduledPollAt } from './poll-schedule.ts';
import { refetch } from './refetch.ts';

const AGAIN_AFTER_MS = 10_000;

type LeasedPoll = { id: string; token: number };

/**
 * Fetches the resource and applies what it says. A poll that fails costs nothing: the next one is planned before it begins.
 * @throws LeaseLost when another process polls it.
 */
export async function pollResource(app: App, poll: LeasedPoll): Promise<void> {
  const resource = await planNextPoll(app, poll);
  if (resource === null) throw new LeaseLost('poll', poll.id);
  try {
    await refetch(app, resource, { kind: 'job', id: `poll:${resource.handle}` });
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    if (isUnsent(error)) await pollSoon(app, resource);
    else logUnanswered(app, resource, error);
  }
  await endLease(app.db, poll, resource);
}

async function planNextPoll(
  { db, clock }: App,
  { id, token }: LeasedPoll,
): Promise<Entity<'ProviderResource'> | null> {
  const resource = await byEntity(db)
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', id)
    .where('leaseToken', '=', token)
    .executeTakeFirst();
  if (!resource) return null;
  const pollCount = resource.pollCount + 1;
  const nextPollAt = resource.nextPollAt && scheduledPollAt(pollCount, clock.now());
  await byEntity(db)
    .updateTable('ProviderResource')
    .set({ pollCount, nextPollAt })
    .where('handle', '=', id)
    .where('userId', '=', resource.userId)
    .where('leaseToken', '=', token)
    .where('nextPollAt', 'is not', null)
    .execute();
  return { ...resource, pollCount, nextPollAt };
}

/** A call that was not sent was no poll: the next one must not be an hour away when the provider is back. */
async function pollSoon(
  { db, clock }: App,
  { handle, userId, pollCount }: Entity<'ProviderResource'>,
): Promise<void> {
  await byEntity(db)
    .updateTable('ProviderResource')
    .set({
      pollCount: Math.max(0, pollCount - 1),
      nextPollAt: new Date(clock.now().getTime() + AGAIN_AFTER_MS),
    })
    .where('handle', '=', handle)
    .where('userId', '=', userId)
    .where('nextPollAt', 'is not', null)
    .execute();
}

const logUnanswered = ({ log }: App, resource: Entity<'ProviderResource'>, error: OutcomeUnknown): void =>
  log.warn(
    {
      code: 'resource.poll_unanswered',
      error,
      resource: resource.kind,
      handle: resource.handle,
      pollCount: resource.pollCount,
    },
    'the poll of a resource had no usable answer',
  );

const endLease = (
  db: Db,
  { id, token }: LeasedPoll,
  { userId }: Entity<'ProviderResource'>,
): Promise<unknown> =>
  sql`
    update provider_resources set leased_by = null
    where handle = ${id} and user_id = ${userId} and lease_token = ${token}`.execute(db);
