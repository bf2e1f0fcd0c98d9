// Processes a stored callback: fetches the resource it is about again, and lets the snapshot speak for itself.
import { type Selectable, sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { afterAttempt, MOST_ATTEMPTS } from '../effects/backoff.ts';
import type { Tables } from '../entities/index.ts';
import { type Observation, observe } from '../lifecycle/observe.ts';
import { type Nudge, parseCallback } from '../provider/callback.ts';
import { isUnsent, ProviderUnknown } from '../provider/errors.ts';
import { fetchByRef } from '../provider/fetch.ts';
import type { Snapshot } from '../provider/port.ts';
import { places } from '../sealing/places.ts';
import { NO_USE, type Outcome } from './outcome.ts';
import { recordMovement } from './record-movement.ts';
import { transactionOf } from './transaction-of.ts';

type WebhookEventRow = Selectable<Tables['webhook_events']>;

/** A callback about something we do not know is looked at so many times (about a minute) before it is set aside. */
const UNMATCHED_ATTEMPTS = 6;

export async function dispatchWebhook(app: App, eventId: string): Promise<void> {
  const event = await app.db
    .selectFrom('webhook_events')
    .selectAll()
    .where('id', '=', eventId)
    .executeTakeFirst();
  if (!event || event.status === 'applied' || event.status === 'ignored') return;
  let nudge: Nudge | null = null;
  try {
    const payload = await app.sealer.openBytes(
      places.webhookPayload(event.id, event.received_at),
      event.payload_sealed,
    );
    nudge = parseCallback(payload).nudge;
    const outcome = await follow(app, event, nudge);
    if (outcome === 'closed') return;
    if (outcome.status === 'unmatched' && event.attempts + 1 < UNMATCHED_ATTEMPTS)
      await postpone(app, event, null);
    else await close(app, app.db, event, nudge, outcome);
  } catch (error) {
    app.log[isUnsent(error) ? 'debug' : 'warn'](
      { error, eventId, eventType: event.event_type },
      'callback could not be processed yet',
    );
    if (isUnsent(error) || event.attempts + 1 < MOST_ATTEMPTS) await postpone(app, event, error);
    else await close(app, app.db, event, nudge, { status: 'unmatched', why: 'could not be processed' });
  }
}

/** @returns the outcome, unless it is committed already, together with what the callback brought. */
async function follow(app: App, event: WebhookEventRow, nudge: Nudge | null): Promise<Outcome | 'closed'> {
  if (nudge === null) return { status: 'ignored', why: NO_USE };
  if (nudge.kind === 'movement') return recordMovement(app, nudge);
  const snapshot = await fetchAgain(app, nudge);
  if (snapshot === null) return { status: 'unmatched', why: 'the provider does not know it' };
  const observation = await observe(app, snapshot, { kind: 'webhook', id: event.id }, (tx, seen) =>
    close(app, tx, event, nudge, outcomeOf[seen]),
  );
  return observation === 'unmatched' ? { status: 'unmatched', why: 'no row of ours ordered it' } : 'closed';
}

const outcomeOf: Record<Exclude<Observation, 'unmatched'>, Outcome> = {
  applied: { status: 'applied', why: null },
  nothing_new: { status: 'applied', why: null },
  stale: { status: 'ignored', why: 'stale' },
  refused: { status: 'ignored', why: 'refused' },
};

type ResourceNudge = Exclude<Nudge, { kind: 'movement' }>;

/** Null where the provider knows nothing of it: what is ours is then still found by its regular checks. */
async function fetchAgain({ provider }: App, nudge: ResourceNudge): Promise<Snapshot | null> {
  try {
    return await fetchByRef(provider, nudge.kind, nudge.providerRef);
  } catch (error) {
    if (error instanceof ProviderUnknown && error.status === 404) return null;
    throw error;
  }
}

async function close(
  app: App,
  db: Db,
  event: WebhookEventRow,
  nudge: Nudge | null,
  { status, why }: Outcome,
): Promise<void> {
  await db
    .updateTable('webhook_events')
    .set({
      status,
      outcome: why,
      attempts: event.attempts + 1,
      transaction_id: transactionOf(event.provider, nudge),
      processed_at: app.clock.now(),
    })
    .where('id', '=', event.id)
    .execute();
}

async function postpone(app: App, event: WebhookEventRow, error: unknown): Promise<void> {
  const { attempts, delayMs } = afterAttempt(event.attempts, error);
  await app.db.transaction().execute(async (tx) => {
    await tx.updateTable('webhook_events').set({ attempts }).where('id', '=', event.id).execute();
    await sql`select graphile_worker.add_job(
      'dispatchWebhook',
      json_build_object('eventId', ${event.id}::uuid),
      run_at := now() + make_interval(secs => ${delayMs / 1_000}),
      job_key := ${`webhook:${event.id}`}
    )`.execute(tx);
  });
}
