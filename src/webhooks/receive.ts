// Takes a callback in: its raw bytes are stored once under its identity, with a job, in one statement. Only then is it
// acknowledged, so an acknowledged callback is on disk and will be processed. What is of no use is kept without a job.
import { sql } from 'kysely';
import { Refusal } from '../api/errors.ts';
import type { App } from '../app.ts';
import { newId } from '../domain/ids.ts';
import { type Callback, parseCallback } from '../provider/callback.ts';
import { places } from '../sealing/places.ts';
import { NO_USE } from './outcome.ts';

/** A callback that was stored before changes nothing and is acknowledged all the same. */
export async function receiveCallback(app: App, rawBody: Buffer): Promise<void> {
  const { eventType, externalId, nudge } = identify(rawBody);
  const id = newId();
  const receivedAt = app.clock.now();
  const payload = await app.sealer.sealBytes(places.webhookPayload(id, receivedAt), rawBody);
  await sql`
    with stored as (
      insert into webhook_events
        (id, provider, external_id, event_type, payload_sealed, received_at, status, outcome, processed_at)
      values
        (${id}, ${app.config.provider.name}, ${externalId}, ${eventType.replaceAll('\0', '')}, ${payload}, ${receivedAt},
         ${nudge ? 'received' : 'ignored'}, ${nudge ? null : NO_USE}, ${nudge ? null : receivedAt})
      on conflict (provider, external_id) do nothing
      returning id, status
    )
    select graphile_worker.add_job(
      'dispatchWebhook', json_build_object('eventId', id), job_key := 'webhook:' || id,
      -- The id is new, and so is the key: this way of putting it in costs a quarter.
      job_key_mode := 'unsafe_dedupe'
    ) from stored where status = 'received'
  `.execute(app.db);
}

// Other encodings than UTF-8 get past the body parser, and they are no JSON to us.
function identify(rawBody: Buffer): Callback {
  try {
    return parseCallback(rawBody);
  } catch (cause) {
    throw new Refusal('malformed_json', undefined, { cause });
  }
}
