// POST /webhooks/{secret}: stores a callback, its raw bytes once under its identity. It is acknowledged only after the commit, so an
// acknowledged callback is on disk and will be processed.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import { callbackIdOf } from '../domain/ids.ts';
import { malformedJson } from '../domain/refusals.ts';
import { type Callback, parseCallback, type WiredEvents } from '../provider/callback.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { StoreCallback } from './store.ts';

type Services = {
  sealer: Sealer;
  storeCallback: StoreCallback;
  clock: Clock;
  config: { provider: WiredEvents & { name: string } };
};

export const receiveProviderWebhook: Handler<'receiveProviderWebhook', Services> = async (
  { rawBody },
  services,
) => {
  await receiveCallback(services, rawBody);
  return ok({ status: 'received' });
};

/** A callback that was stored before changes nothing and is acknowledged again. */
async function receiveCallback(
  { sealer, storeCallback, clock, config }: Services,
  rawBody: Buffer,
): Promise<void> {
  const { eventType, identity, resource, names, announced } = identify(config, rawBody);
  const id = callbackIdOf(config.provider.name, identity);
  const receivedAt = clock.now();
  const payloadSealed = await sealer.sealBytes(encryptionContexts.webhookPayload(id, receivedAt), rawBody);
  await storeCallback({
    id,
    provider: config.provider.name,
    identity,
    eventType: eventType.replaceAll('\0', ''),
    payloadSealed,
    payload: rawBody,
    receivedAt,
    isMapped: resource !== null,
    names,
    announcedAt: announced?.updatedAt ?? null,
  });
}

// The body parser accepts encodings other than UTF-8; here they are not valid JSON.
function identify({ provider }: Services['config'], rawBody: Buffer): Callback {
  try {
    return parseCallback(rawBody, provider);
  } catch (cause) {
    throw malformedJson(cause);
  }
}
