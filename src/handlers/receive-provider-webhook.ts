// POST /webhooks/provider/{secret}: stored once, then acknowledged. What it means is worked out by the worker.

import { receiveCallback } from '../webhooks/receive.ts';
import { type Handler, ok } from './operation.ts';

export const receiveProviderWebhook: Handler<'receiveProviderWebhook'> = async ({ rawBody }, app) => {
  await receiveCallback(app, rawBody);
  return ok({ status: 'received' });
};
