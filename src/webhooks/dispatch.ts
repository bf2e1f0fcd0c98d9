// Processes a stored callback: fetches the resource that it names and applies the snapshot.

import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { afterAttempt, MAX_ATTEMPTS } from '../outbox/backoff.ts';
import { assertLeased, LeaseLost } from '../outbox/leases.ts';
import type { Work } from '../outbox/work.ts';
import { inSpan, isTracing, type NewSpan } from '../platform/tracing/tracing.ts';
import { type Callback, parseCallback, type ResourceRef, type WiredEvents } from '../provider/callback.ts';
import { isUnsent } from '../provider/errors.ts';
import { fetchByRef, unlessUnknown } from '../provider/fetch.ts';
import type { Provider } from '../provider/port.ts';
import { type ApplyResult, type ApplyServices, applyReported } from '../reports/apply-reported.ts';
import { pollContestationOf } from '../reports/contestations.ts';
import { pollForAnnounced, resumePolling } from '../reports/polling.ts';
import { isBehind } from '../reports/recency.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findNamedResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { findTransactionOfMovement, findTransactionOfResource } from '../tables/transactions/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import {
  closeCallback,
  findCallback,
  postponeCallback,
  UNOWNED_TURN_EVERY_MS,
} from '../tables/webhook-events/statements.ts';
import { type CallbackOutcome, type CallbackProcessed, UNMAPPED_EVENT } from './outcome.ts';
import { isUnowned, type UnownedTurns } from './unowned.ts';

type WebhookEvent = Entity<'WebhookEvent'>;

/**
 * The maximum number of attempts, usually within 40 seconds, to find the callback's resource or the change that it
 * announces. Then the callback is closed. A reference that is not ours needs one answer of the provider.
 */
const ATTEMPTS_TO_FIND = 6;
const UNKNOWN_THERE: CallbackOutcome = { status: 'unmatched', why: 'the provider does not know it' };
const NO_NEW_DEPOSIT: CallbackOutcome = { status: 'ignored', why: 'not a deposit, or one that is recorded' };
const NOT_READABLE = 'what it announces cannot be read yet: left to polling';

type Ending = {
  log: Log;
  clock: Clock;
  metrics: { callbackProcessed: CallbackProcessed; newsFound: (source: 'callback') => void };
};

/**
 * Processes a callback.
 * @throws LeaseLost if another process has it now, or the database's error if the outcome could not be recorded.
 */
export async function dispatchWebhook(
  services: ApplyServices &
    Ending & {
      provider: Provider<'background'>;
      unownedTurns: UnownedTurns;
      config: { provider: WiredEvents };
    },
  { id, userId, token, committed }: Pick<Work, 'id' | 'userId' | 'token' | 'committed'>,
): Promise<void> {
  const stored = committed && 'callback' in committed ? committed : null;
  const event = stored?.callback ?? (await findCallback(services.db, { id }));
  if (event?.status !== 'received' || event.leaseToken !== token) throw new LeaseLost('callback', id);
  let resource: ResourceRef | null = null;
  try {
    const payload = stored?.payload ?? (await openPayload(services.sealer, event));
    const callback = parseCallback(payload, services.config.provider);
    resource = callback.resource;
    const unowned = userId === null && (await isUnowned(services.db, callback));
    if (unowned && !services.unownedTurns.mayFetch())
      return await awaitTurn(services.db, event, services.unownedTurns);
    const followed = await inSpan(await spanOf(services.db, id, callback), async (set) => {
      const result = await follow(services, event, callback);
      set({ 'ponte.callback.outcome': result === 'not_readable' ? result : result.outcome.status });
      return result;
    });
    if (followed === 'not_readable') return await postpone(services.db, event, null);
    const { outcome, isClosed } = followed;
    if (outcome.status === 'unmatched' && !unowned && !isLastAttempt(event))
      return await postpone(services.db, event, null);
    if (!isClosed) await closeAlone(services, event, unowned ? null : resource, outcome);
    logEnd(services, event, resource, followed);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    services.log[isUnsent(error) ? 'debug' : 'warn'](
      { code: 'callback.postponed', error, eventId: id, eventType: event.eventType },
      'the callback could not be processed yet',
    );
    if (isUnsent(error) || event.attempts + 1 < MAX_ATTEMPTS) await postpone(services.db, event, error);
    else {
      const outcome: CallbackOutcome = { status: 'unmatched', why: 'could not be processed' };
      await closeAlone(services, event, resource, outcome);
      logEnd(services, event, resource, { outcome, isClosed: true });
    }
  }
}

/** The span of a callback belongs to the trace of the payment or withdrawal that created the resource. */
async function spanOf(db: Db, eventId: string, { resource, names }: Callback): Promise<NewSpan> {
  const found = isTracing() ? await findNamedResource(db, names) : undefined;
  const kind = resource?.kind ?? 'unmapped';
  return {
    name: `callback ${kind}`,
    parent: found?.traceparent ?? null,
    attributes: { 'ponte.callback.id': eventId, 'ponte.resource.kind': kind },
  };
}

const openPayload = (sealer: Sealer, { id, receivedAt, payloadSealed }: WebhookEvent): Promise<Buffer> =>
  sealer.openBytes(encryptionContexts.webhookPayload(id, receivedAt), payloadSealed);

const isLastAttempt = ({ attempts }: WebhookEvent): boolean => attempts + 1 >= ATTEMPTS_TO_FIND;

/**
 * How a callback was followed. `isClosed` means that it was already closed in the commit that applied the snapshot. `handle`
 * is our handle of its resource.
 */
type Followed = { outcome: CallbackOutcome; isClosed: boolean; handle?: string };

/** Follows a callback. Returns `not_readable` if the callback announced a newer state than can be read; it must then be retried. */
async function follow(
  services: ApplyServices & Ending & { provider: Provider<'background'> },
  event: WebhookEvent,
  { resource, announced }: Callback,
): Promise<Followed | 'not_readable'> {
  if (resource === null) return open({ status: 'ignored', why: UNMAPPED_EVENT });
  return resource.kind === 'movement'
    ? followMovement(services, event, resource)
    : followResource(services, event, resource, announced);
}

const open = (outcome: CallbackOutcome): Followed => ({ outcome, isClosed: false });

const causeOf = ({ id }: WebhookEvent): Cause => ({ kind: 'webhook', id });

async function followMovement(
  services: ApplyServices & { provider: Provider<'background'> },
  event: WebhookEvent,
  resource: Extract<ResourceRef, { kind: 'movement' }>,
): Promise<Followed> {
  const movement = await unlessUnknown(() =>
    services.provider.getMovement(resource.accountRef, resource.providerRef),
  );
  if (movement === null) return open(UNKNOWN_THERE);
  const observation = await applyReported(services, movement, causeOf(event), (tx, result, about) =>
    close(services.clock, tx, event, outcomeOfMovement(result), about.transactionId),
  );
  return observation === 'unmatched'
    ? open({ status: 'unmatched', why: 'no account of ours' })
    : { outcome: outcomeOfMovement(observation), isClosed: true };
}

const outcomeOfMovement = (result: MatchedResult): CallbackOutcome =>
  result === 'nothing_new' ? NO_NEW_DEPOSIT : outcomeOf[result];

async function followResource(
  services: ApplyServices & Ending & { provider: Provider<'background'> },
  event: WebhookEvent,
  resource: Exclude<ResourceRef, { kind: 'movement' }>,
  announced: Callback['announced'],
): Promise<Followed | 'not_readable'> {
  const snapshot = await unlessUnknown(() =>
    fetchByRef(services.provider, resource.kind, resource.providerRef),
  );
  if (snapshot === null) {
    await resumePolling(services.db, resource.providerRef);
    return open(UNKNOWN_THERE);
  }
  const more = announced !== null && isBehind(snapshot, announced) ? announced : null;
  const isToBeTried = more !== null && !isLastAttempt(event);
  const meaning = (result: MatchedResult): CallbackOutcome =>
    more !== null && result !== 'applied' ? { status: 'ignored', why: NOT_READABLE } : outcomeOf[result];
  const observation = await applyReported(services, snapshot, causeOf(event), async (tx, result, about) => {
    if (more) await pollForAnnounced(tx, about, snapshot, more.updatedAt);
    if (!isToBeTried) await close(services.clock, tx, event, meaning(result), about.transactionId);
  });
  if (observation === 'unmatched') return open({ status: 'unmatched', why: 'no row of ours ordered it' });
  if (observation === 'applied') services.metrics.newsFound('callback');
  // A payout is also reported when its contestation has changed.
  else if (resource.kind === 'payout') await pollContestationOf(services.db, snapshot.handle);
  if (isToBeTried) return 'not_readable';
  return { outcome: meaning(observation), isClosed: true, handle: snapshot.handle };
}

type MatchedResult = Exclude<ApplyResult, 'unmatched'>;

const outcomeOf: Record<MatchedResult, CallbackOutcome> = {
  applied: { status: 'applied', why: null },
  nothing_new: { status: 'applied', why: null },
  stale: { status: 'ignored', why: 'stale' },
  refused: { status: 'ignored', why: 'refused' },
  twin: { status: 'ignored', why: 'twin' },
  blocked: { status: 'ignored', why: 'held until a twin is resolved' },
};

/** Closes a callback that changes no row. */
async function closeAlone(
  { clock, db }: { clock: Clock; db: Db },
  event: WebhookEvent,
  resource: ResourceRef | null,
  outcome: CallbackOutcome,
): Promise<void> {
  await close(clock, db, event, outcome, resource && (await findTransactionOf(db, event.provider, resource)));
}

/** Finds the user's transaction that an object of the provider belongs to, wherever it is. */
async function findTransactionOf(
  db: Db,
  provider: string,
  { kind, providerRef }: ResourceRef,
): Promise<string | null> {
  const found =
    kind === 'movement'
      ? await findTransactionOfMovement(db, { provider, providerRef })
      : await findTransactionOfResource(db, { providerRef });
  return found?.id ?? null;
}

/**
 * Closes the callback.
 * @throws LeaseLost if another process has the callback; what the caller writes in the same transaction is then rolled back.
 */
async function close(
  clock: Clock,
  db: Db,
  event: WebhookEvent,
  { status, why }: CallbackOutcome,
  transactionId: string | null,
): Promise<void> {
  const { id, leaseToken } = event;
  const closed = await closeCallback(db, {
    id,
    leaseToken,
    transactionId,
    status,
    outcome: why,
    attempts: event.attempts + 1,
    processedAt: clock.now(),
  });
  assertLeased('callback', id, closed.length);
}

const sentences = {
  applied: 'the callback was applied',
  ignored: 'the callback was processed and changes nothing',
  unmatched: 'the callback was not matched to a row',
} as const satisfies Record<Followed['outcome']['status'], string>;

/**
 * Logs the outcome and counts it. Call it only after the commit. The handle is also in the log line of the effect, so
 * a payment can be traced by it.
 */
function logEnd(
  { log, clock, metrics }: Ending,
  { id: eventId, eventType, receivedAt }: WebhookEvent,
  resource: ResourceRef | null,
  { outcome: { status, why }, handle }: Followed,
): void {
  const { providerRef } = resource ?? {};
  metrics.callbackProcessed(status, (clock.now().getTime() - receivedAt.getTime()) / 1_000);
  log.info(
    { code: `callback.${status}`, eventId, eventType, providerRef, handle, ...(why !== null && { why }) },
    sentences[status],
  );
}

const postpone = (db: Db, event: WebhookEvent, error: unknown): Promise<void> =>
  planNext(db, event, afterAttempt(event.attempts, error));

/** Leaves the callback in the table until its turn. Waiting is not an attempt. */
async function awaitTurn(db: Db, event: WebhookEvent, turns: UnownedTurns): Promise<void> {
  const delayMs = turns.lastInMs() + UNOWNED_TURN_EVERY_MS;
  turns.planned(1);
  await planNext(db, event, { attempts: event.attempts, delayMs });
}

async function planNext(
  db: Db,
  { id, leaseToken }: WebhookEvent,
  next: { attempts: number; delayMs: number },
): Promise<void> {
  assertLeased('callback', id, await postponeCallback(db, { id, leaseToken, ...next }));
}
