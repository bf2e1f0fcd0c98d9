// Decides which refusals are recorded, and under which action: sign-ins, sessions of closed accounts, and ids that may belong to
// another user. webhooks/provider-webhook-gate.ts records refused callbacks.

import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import { isUuid, parseQuoteId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import type { AuditLog } from './log.ts';

/**
 * An expired quote, look-up, code or check of a name may have been deleted, so a missing one that is old enough is refused as expired. Its
 * id is checked as well.
 */
const codesOfMissingIds: ReadonlySet<string> = new Set<ErrorCode>([
  'not_found',
  'quote_expired',
  'lookup_expired',
  'name_check_required',
  'code_outdated',
]);

type RefusedRequest = {
  params?: unknown;
  body?: unknown;
  requestId: string;
  user?: { id: string } | undefined;
};

/** Records a refused operation if its refusal is of a kind that is recorded. It takes the same time for every id. */
export function recordRefusal(
  trail: AuditLog,
  operation: string,
  request: RefusedRequest,
  thrown: unknown,
): void {
  if (!(thrown instanceof Refusal)) return;
  const { requestId, user } = request;
  if (operation === 'createSession') {
    const reason = reasonOf(thrown);
    const provider = String((request.body as { provider?: unknown }).provider);
    if (reason !== null)
      trail.refused({ action: 'sign-in.refused', userId: null, details: { provider, reason } }, requestId);
  } else if (thrown.code === 'account_closed' && user)
    recordClosedSession(trail, user.id, operation, requestId);
  else if (codesOfMissingIds.has(thrown.code) && user)
    trail.missed({ userId: user.id, operation, requestId, ids: idsIn(request) });
}

/** Records that the session of a closed account was refused. The account may have been closed during the request. */
export const recordClosedSession = (
  trail: AuditLog,
  userId: string,
  operation: string,
  requestId: string,
): void =>
  trail.refused(
    { action: 'session.refused', userId, details: { operation, reason: 'account_closed' } },
    requestId,
  );

/** Returns a code, with the claim that was wrong; null if the token was not at fault. It never contains a part of the token. */
function reasonOf({ code, cause }: Refusal): string | null {
  if (code === 'account_closed') return code;
  if (code !== 'invalid_id_token') return null;
  if (!(cause instanceof Error && 'code' in cause)) return 'unusable';
  const claim = 'claim' in cause && typeof cause.claim === 'string' ? cause.claim : '';
  return [String(cause.code), ...(/^\w{1,20}$/.test(claim) ? [claim] : [])].join(' ');
}

/** Returns the ids in the path and in the body. */
const idsIn = ({ params, body }: RefusedRequest): string[] =>
  [params, body]
    .flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []))
    .filter((value) => typeof value === 'string')
    .map((text) => parseQuoteId(text) ?? text)
    .filter((text) => isUuid(text))
    .map((text) => text.toLowerCase());
