// Polls a resource that is due, so that a lost callback delays a payment by seconds and not until the nightly reconciliation, which
// fetches resources in the same way.
import type { Log } from '../domain/log.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { inSpan } from '../platform/tracing/tracing.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { fetchResource } from '../provider/fetch.ts';
import type { Provider } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { findHomeAccount } from '../tables/provider-accounts/statements.ts';
import { endPoll, findLeasedResource, replanPoll } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { findUser } from '../tables/users/statements.ts';
import { type ApplyResult, type ApplyServices, applyReported } from './apply-reported.ts';
import { fetchContestation, pollPayoutOf } from './contestations.ts';
import { pollDelayMs, stopPolling } from './polling.ts';
import { scanMovements } from './scan-movements.ts';
import { hasEverExisted, recordVanished } from './vanished.ts';

const AGAIN_AFTER_MS = 10_000;

type PollServices = ApplyServices & {
  provider: Provider<'background'>;
  log: Log;
  metrics: { newsFound: (source: 'poll') => void };
};
type LeasedPoll = { id: string; userId: string | null; token: number };

/**
 * Fetches a resource and applies its snapshot. The next poll is planned before this one starts, so a failed poll only increments
 * `pollFailures`. An unsent call is not a failure: the resource is polled again after ten seconds.
 * @throws LeaseLost if another process has the lease of this poll.
 */
export async function pollResource(services: PollServices, poll: LeasedPoll): Promise<void> {
  const resource = await planNextPoll(services, poll);
  if (resource === null) throw new LeaseLost('poll', poll.id);
  let { pollFailures } = resource;
  try {
    if (await isOfClosedAccount(services.db, resource)) await stopPolling(services.db, resource);
    else await fetchAndApply(services, resource);
    pollFailures = 0;
  } catch (error) {
    if (isUnsent(error)) await pollSoon(services, resource);
    else {
      logFailed(services.log, resource, error);
      pollFailures += 1;
    }
  }
  await endPoll(services.db, { ...resource, pollFailures });
}

/** Returns whether the resource is the verification of a closed account. It is no longer needed; payments of closed accounts are polled. */
async function isOfClosedAccount(db: Db, { kind, userId }: Entity<'ProviderResource'>): Promise<boolean> {
  if (kind !== 'owner') return false;
  const user = await findUser(db, { userId });
  return user !== undefined && user.closedAt !== null;
}

function fetchAndApply(services: PollServices, resource: Entity<'ProviderResource'>): Promise<void> {
  const { kind, handle, subjectId, userId, traceparent, pollCount } = resource;
  const attributes = { 'ponte.resource.kind': kind, 'ponte.poll.count': pollCount };
  const cause: Cause = { kind: 'job', id: `poll:${handle}` };
  return inSpan({ name: `poll ${kind}`, parent: traceparent, attributes }, async () => {
    const account =
      kind === 'account' ? await findHomeAccount(services.db, { id: subjectId, userId }) : undefined;
    if (account) await scanMovements(services, account, { cause });
    // An active account that no callback announced is polled only for its movements: its balance changed for an unknown reason.
    if (account && resource.announcedAt === null) await stopPolling(services.db, resource);
    else {
      const outcome = await refetch(services, resource, cause);
      // No callback reports a verification.
      if (outcome === 'applied' && kind !== 'owner') services.metrics.newsFound('poll');
    }
  });
}

async function planNextPoll(
  { db }: { db: Db },
  { id, userId, token }: LeasedPoll,
): Promise<Entity<'ProviderResource'> | null> {
  const resource = userId && (await findLeasedResource(db, { handle: id, userId, leaseToken: token }));
  if (!resource) return null;
  const pollCount = resource.pollCount + 1;
  const planned = {
    ...resource,
    pollCount,
    pollInMs: resource.nextPollAt && pollDelayMs(pollCount),
  };
  await replanPoll(db, planned);
  return planned;
}

/** Replans a poll whose call was not sent. It does not count as a poll: the next one must not be an hour after the outage. */
async function pollSoon({ db }: { db: Db }, resource: Entity<'ProviderResource'>): Promise<void> {
  const pollCount = Math.max(0, resource.pollCount - 1);
  await replanPoll(db, { ...resource, pollCount, pollInMs: AGAIN_AFTER_MS });
}

/** Logs a failed poll. Polls that were not sent are expected under load and are counted as calls. The next poll keeps its schedule: an internal error would otherwise repeat every second. */
function logFailed(log: Log, resource: Entity<'ProviderResource'>, error: unknown): void {
  const { kind, handle, pollCount } = resource;
  const facts = { error, resource: kind, handle, pollCount };
  if (error instanceof OutcomeUnknown)
    log[isUnsent(error) ? 'debug' : 'warn'](
      { code: 'resource.poll_unanswered', ...facts },
      'the poll of a resource had no usable answer',
    );
  else log.error({ code: 'resource.poll_failed', ...facts }, 'the poll of a resource failed unexpectedly');
}

/**
 * Fetches a resource and applies its snapshot.
 * @returns `absent` if the provider does not know the resource and never did; `vanished` if it did before.
 * @throws OutcomeUnknown if there is no usable answer.
 */
export async function refetch(
  services: ApplyServices & { provider: Provider<'background'> },
  resource: Entity<'ProviderResource'>,
  cause: Cause,
): Promise<ApplyResult | 'absent' | 'vanished'> {
  if (resource.kind === 'contestation') return refetchContestation(services, resource, cause);
  const snapshot = await fetchResource(services.provider, { ...resource, kind: resource.kind });
  if (snapshot) return applyReported(services, snapshot, cause);
  if (!hasEverExisted(resource)) return 'absent';
  await recordVanished(services, resource, cause);
  return 'vanished';
}

async function refetchContestation(
  services: ApplyServices & { provider: Provider<'background'> },
  resource: Entity<'ProviderResource'>,
  cause: Cause,
): Promise<ApplyResult | 'absent' | 'vanished'> {
  const snapshot = await fetchContestation(services, resource, cause);
  if (snapshot === null) {
    if (resource.providerRef === null) return 'absent';
    await recordVanished(services, resource, cause);
    return 'vanished';
  }
  const result = await applyReported(services, snapshot, cause);
  if (result === 'applied') await pollPayoutOf(services, resource);
  return result;
}
