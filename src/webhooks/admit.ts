// Who may bring a callback: whoever knows the secret may have it read, whoever passes the strategy may have it stored. Anybody
// else is told that there is nothing here, and recorded.
import type { Gate } from '../api/admission.ts';
import { Refusal } from '../api/errors.ts';
import type { App } from '../app.ts';

export const providerGate: Gate = {
  beforeBody: async ({ params, requestId }, app) => {
    const isKnown = await app.acceptsWebhookSecret(params['secret'] ?? '');
    if (!isKnown) throw turnedAway(app, 'webhook-secret.refused', requestId);
  },
  beforeParsing: async ({ params, headers, rawBody, requestId }, app) => {
    const callback = { secret: params['secret'] ?? '', headers, rawBody };
    const isFromProvider = await app.webhookVerifier.isFromProvider(callback);
    if (!isFromProvider) throw turnedAway(app, 'webhook-signature.refused', requestId);
  },
};

function turnedAway(app: App, action: string, requestId: string): Refusal {
  app.trail.refused({ action, userId: null, details: {} }, requestId);
  return new Refusal('not_found');
}
