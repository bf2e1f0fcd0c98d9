// Processes a stored callback: fetches the resource it is about, and applies the snapshot.

import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { columnStatement, statements } from '../database/statement.ts';
import { afterAttempt, MOST_ATTEMPTS } from '../effects/backoff.ts';
import type { WebhookEventRow } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { assertHeld, dueIn, LeaseLost } from '../outbox/leases.ts';
import { type Announced, announcedBy } from '../provider/announced.ts';
import { parseCallback, type ResourceRef } from '../provider/callback.ts';
import { isUnsent } from '../provider/errors.ts';
import { fetchByRef, unlessUnknown } from '../provider/fetch.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { type ApplyResult, applyReported } from '../snapshots/apply-reported.ts';
import { isBehind } from '../snapshots/ordering.ts';
import { pollForAnnounced, pollUnknown } from '../snapshots/polling.ts';
import { type CallbackOutcome, UNMAPPED_EVENT } from './outcome.ts';
import { type Named, namedBy, transactionOf } from './transaction-of.ts';

/**
 * How many attempts (about a minute) to find the callback's resource, or the change it announces, before it is set
 * aside.
 */
const ATTEMPTS_TO_FIND = 6;
const UNKNOWN_THERE: CallbackOutcome = { status: 'unmatched', why: 'the provider does not know it' };
const NO_NEW_DEPOSIT: CallbackOutcome = { status: 'ignored', why: 'not a deposit, or one that is recorded' };
const NOT_READABLE = 'what it announces cannot be read yet: left to polling';

export type CallbackRun = {
  id: string;
  /** Of the lease under which it is processed. */
  token: number;
  /** The callback as it was stored a moment ago, and its body. */
  committed?: { callback: WebhookEventRow; payload: Buffer };
};

/** @throws LeaseLost when another process has it meanwhile, or the database's error when the outcome is not recorded. */
export async function dispatchWebhook(app: App, { id, token, committed }: CallbackRun): Promise<void> {
  const event = committed?.callback ?? (await findEvent(app, id));
  if (event?.status !== 'received' || event.lease_token !== token) throw new LeaseLost('callback', id);
  let resource: ResourceRef | null = null;
  try {
    const payload = committed?.payload ?? (await openPayload(app, event));
    resource = parseCallback(payload, app.config.provider).resource;
    const followed = await follow(app, event, resource, announcedBy(payload));
    if (followed === 'not_readable') return await postpone(app, event, null);
    const { outcome, isClosed } = followed;
    if (outcome.status === 'unmatched' && !isLastAttempt(event)) return await postpone(app, event, null);
    if (!isClosed) await close(app, app.db, event, resource, outcome);
    logEnd(app, event, resource, followed);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    app.log[isUnsent(error) ? 'debug' : 'warn'](
      { code: 'callback.postponed', error, eventId: id, eventType: event.event_type },
      'the callback could not be processed yet',
    );
    if (isUnsent(error) || event.attempts + 1 < MOST_ATTEMPTS) await postpone(app, event, error);
    else await giveUp(app, event, resource);
  }
}

const findEvent = (app: App, id: string): Promise<WebhookEventRow | undefined> =>
  app.db.selectFrom('webhook_events').selectAll().where('id', '=', id).executeTakeFirst();

const openPayload = (
  app: App,
  { id, received_at: receivedAt, payload_sealed }: WebhookEventRow,
): Promise<Buffer> => app.sealer.openBytes(encryptionContexts.webhookPayload(id, receivedAt), payload_sealed);

const isLastAttempt = ({ attempts }: WebhookEventRow): boolean => attempts + 1 >= ATTEMPTS_TO_FIND;

async function giveUp(app: App, event: WebhookEventRow, resource: ResourceRef | null): Promise<void> {
  const outcome: CallbackOutcome = { status: 'unmatched', why: 'could not be processed' };
  await close(app, app.db, event, resource, outcome);
  logEnd(app, event, resource, { outcome, isClosed: true });
}

/** `isClosed`: committed already, together with the snapshot. `handle`: ours, of the resource it is about. */
type Followed = { outcome: CallbackOutcome; isClosed: boolean; handle?: string };

/** @returns `not_readable` when it announced a newer state than can be read, and is to be tried again. */
async function follow(
  app: App,
  event: WebhookEventRow,
  resource: ResourceRef | null,
  announced: Announced | null,
): Promise<Followed | 'not_readable'> {
  if (resource === null) return open({ status: 'ignored', why: UNMAPPED_EVENT });
  return resource.kind === 'movement'
    ? followMovement(app, event, resource)
    : followResource(app, event, resource, announced);
}

const open = (outcome: CallbackOutcome): Followed => ({ outcome, isClosed: false });

const causeOf = ({ id }: WebhookEventRow): Cause => ({ kind: 'webhook', id });

async function followMovement(
  app: App,
  event: WebhookEventRow,
  resource: Extract<ResourceRef, { kind: 'movement' }>,
): Promise<Followed> {
  const movement = await unlessUnknown(() =>
    app.provider.getMovement(resource.accountRef, resource.providerRef),
  );
  if (movement === null) return open(UNKNOWN_THERE);
  const observation = await applyReported(app, movement, causeOf(event), (tx, seen) =>
    close(app, tx, event, resource, outcomeOfMovement(seen)),
  );
  return observation === 'unmatched'
    ? open({ status: 'unmatched', why: 'no account of ours' })
    : { outcome: outcomeOfMovement(observation), isClosed: true };
}

const outcomeOfMovement = (seen: Seen): CallbackOutcome =>
  seen === 'nothing_new' ? NO_NEW_DEPOSIT : outcomeOf[seen];

async function followResource(
  app: App,
  event: WebhookEventRow,
  resource: Exclude<ResourceRef, { kind: 'movement' }>,
  announced: Announced | null,
): Promise<Followed | 'not_readable'> {
  const snapshot = await unlessUnknown(() => fetchByRef(app.provider, resource.kind, resource.providerRef));
  if (snapshot === null) {
    await pollUnknown(app.db, resource.providerRef, app.clock.now());
    return open(UNKNOWN_THERE);
  }
  const more = announced !== null && isBehind(snapshot, announced) ? announced : null;
  const isToBeTried = more !== null && !isLastAttempt(event);
  const meaning = (seen: Seen): CallbackOutcome =>
    more !== null && seen !== 'applied' ? { status: 'ignored', why: NOT_READABLE } : outcomeOf[seen];
  const observation = await applyReported(app, snapshot, causeOf(event), async (tx, seen) => {
    if (more) await pollForAnnounced(tx, snapshot, more.updatedAt, app.clock.now());
    if (!isToBeTried) await close(app, tx, event, resource, meaning(seen));
  });
  if (observation === 'unmatched') return open({ status: 'unmatched', why: 'no row of ours ordered it' });
  if (isToBeTried) return 'not_readable';
  return { outcome: meaning(observation), isClosed: true, handle: snapshot.handle };
}

type Seen = Exclude<ApplyResult, 'unmatched'>;

const outcomeOf: Record<Seen, CallbackOutcome> = {
  applied: { status: 'applied', why: null },
  nothing_new: { status: 'applied', why: null },
  stale: { status: 'ignored', why: 'stale' },
  refused: { status: 'ignored', why: 'refused' },
  twin: { status: 'ignored', why: 'twin' },
  held: { status: 'ignored', why: 'held until a twin is resolved' },
};

/** @throws LeaseLost when another process has the callback: what comes with its end is taken back. */
async function close(
  app: App,
  db: Db,
  event: WebhookEventRow,
  resource: ResourceRef | null,
  { status, why }: CallbackOutcome,
): Promise<void> {
  const { id, lease_token, provider } = event;
  const end = { status, outcome: why, attempts: event.attempts + 1, processed_at: app.clock.now() };
  const closing = closingOf(namedBy(resource));
  const providerRef = resource?.providerRef ?? null;
  assertHeld('callback', id, await closing(db, { id, lease_token, provider, providerRef, end }));
}

type Closing = Pick<WebhookEventRow, 'id' | 'lease_token' | 'provider'> & {
  providerRef: string | null;
  end: Pick<WebhookEventRow, 'status' | 'outcome' | 'attempts' | 'processed_at'>;
};

const closingOf = statements((named: Named) =>
  columnStatement((db, { id, lease_token, provider, providerRef, end }: Closing) =>
    db
      .updateTable('webhook_events')
      .set({
        ...end,
        due_at: null,
        leased_by: null,
        user_id: null,
        transaction_id: transactionOf(named, provider, providerRef),
      })
      .where('id', '=', id)
      .where('lease_token', '=', lease_token),
  ),
);

const sentences = {
  applied: 'the callback was applied',
  ignored: 'the callback was processed and changes nothing',
  unmatched: 'the callback names no resource of ours',
} as const satisfies Record<Followed['outcome']['status'], string>;

/** Only once it is committed. A payment is followed here by the handle that its effect's line has, too. */
function logEnd(
  { log }: App,
  { id: eventId, event_type: eventType }: WebhookEventRow,
  resource: ResourceRef | null,
  { outcome: { status, why }, handle }: Followed,
): void {
  const { providerRef } = resource ?? {};
  log.info(
    { code: `callback.${status}`, eventId, eventType, providerRef, handle, ...(why !== null && { why }) },
    sentences[status],
  );
}

async function postpone(app: App, event: WebhookEventRow, error: unknown): Promise<void> {
  const { attempts, delayMs } = afterAttempt(event.attempts, error);
  const postponed = await app.db
    .updateTable('webhook_events')
    .set({ attempts, due_at: dueIn(delayMs), leased_by: null })
    .where('id', '=', event.id)
    .where('lease_token', '=', event.lease_token)
    .executeTakeFirst();
  assertHeld('callback', event.id, postponed);
}
