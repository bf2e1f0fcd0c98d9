// POST /webhooks/provider/{secret}: stores a callback once, then acknowledges it. The outbox processes it.

import { receiveCallback } from './receive.ts';
import { type Handler, ok } from '../api/operation.ts';

export const receiveProviderWebhook: Handler<'receiveProviderWebhook'> = async ({ rawBody }, app) => {
  await receiveCallback(app, rawBody);
  return ok({ status: 'received' });
};
