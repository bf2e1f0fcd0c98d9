// Stores a callback: its raw bytes, once under its identity. It is acknowledged only after the commit, so an acknowledged callback
// is on disk and will be processed.

import type { App } from '../start/app.ts';
import { newId } from '../domain/ids.ts';
import { malformedJson } from '../domain/refusals.ts';
import { type Callback, namesIn, parseCallback } from '../provider/callback.ts';
import { encryptionContexts } from '../platform/sealing/encryption-contexts.ts';

/** Stores a callback. A callback that was stored before changes nothing and is acknowledged again. */
export async function receiveCallback(app: App, rawBody: Buffer): Promise<void> {
  const { eventType, externalId, resource } = identify(app, rawBody);
  const id = newId();
  const receivedAt = app.clock.now();
  const payloadSealed = await app.sealer.sealBytes(
    encryptionContexts.webhookPayload(id, receivedAt),
    rawBody,
  );
  await app.storeCallback({
    id,
    provider: app.config.provider.name,
    externalId,
    eventType: eventType.replaceAll('\0', ''),
    payloadSealed,
    payload: rawBody,
    receivedAt,
    isMapped: resource !== null,
    names: namesIn(rawBody, resource),
  });
}

// The body parser accepts encodings other than UTF-8; here they are not valid JSON.
function identify({ config }: App, rawBody: Buffer): Callback {
  try {
    return parseCallback(rawBody, config.provider);
  } catch (cause) {
    throw malformedJson(cause);
  }
}
