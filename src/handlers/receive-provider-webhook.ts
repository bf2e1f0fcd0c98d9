// POST /webhooks/provider/{secret}: stored once, then acknowledged. What it means is worked out by the worker.
import { Refusal } from '../api/errors.ts';
import { type Handler, ok } from '../api/operation.ts';
import { receiveCallback } from '../webhooks/receive.ts';

export const receiveProviderWebhook: Handler<'receiveProviderWebhook'> = async ({ params, rawBody }, app) => {
  if (!(await app.webhookVerifier.isFromProvider({ secret: params.secret }))) throw new Refusal('not_found');
  await receiveCallback(app, rawBody);
  return ok({ status: 'received' });
};
