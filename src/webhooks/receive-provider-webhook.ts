// POST /webhooks/provider/{secret}: stores a callback once, then acknowledges it. The outbox processes it.

import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { receiveCallback } from './receive.ts';
import type { StoreCallback } from './store.ts';

export const receiveProviderWebhook: Handler<
  'receiveProviderWebhook',
  { sealer: Sealer; storeCallback: StoreCallback; clock: Clock; config: Config }
> = async ({ rawBody }, services) => {
  await receiveCallback(services, rawBody);
  return ok({ status: 'received' });
};
