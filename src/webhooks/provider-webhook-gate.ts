// Authenticates callbacks by the secret in their path, before the body is read, and by the verification strategy, before it is
// parsed. Any other caller gets the answer of an unknown path, and the attempt is recorded in the audit log.

import type { Gate } from '../api/admission.ts';
import type { AuditLog } from '../audit/log.ts';
import { Refusal } from '../domain/refusals.ts';
import type { AcceptsSecret, WebhookVerifier } from './verify.ts';

type Services = {
  acceptsWebhookSecret: AcceptsSecret;
  webhookVerifier: WebhookVerifier;
  auditLog: AuditLog;
};

export const createProviderGate = (services: Services): Gate => ({
  beforeBody: async ({ params, requestId }) => {
    const isKnown = await services.acceptsWebhookSecret(params['secret'] ?? '');
    if (!isKnown) throw turnedAway(services.auditLog, 'webhook-secret.refused', requestId);
  },
  beforeParsing: async ({ params, headers, rawBody, requestId }) => {
    const callback = { secret: params['secret'] ?? '', headers, rawBody };
    const isFromProvider = await services.webhookVerifier.isFromProvider(callback);
    if (!isFromProvider) throw turnedAway(services.auditLog, 'webhook-signature.refused', requestId);
  },
});

function turnedAway(auditLog: AuditLog, action: string, requestId: string): Refusal {
  auditLog.refused({ action, userId: null, details: {} }, requestId);
  return new Refusal('not_found');
}
