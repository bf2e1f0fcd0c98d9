// Authenticates callbacks by the secret in their path, before the body is read, and by the verification strategy, before it is
// parsed. Any other caller gets the answer of an unknown path, and the attempt is recorded in the audit log.

import type { App } from '../start/app.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Gate } from '../api/gate.ts';

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
  app.auditLog.refused({ action, userId: null, details: {} }, requestId);
  return new Refusal('not_found');
}
