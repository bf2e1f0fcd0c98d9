// The identity under which a callback must be stored: the SHA-256 of `kind:providerRef:updatedAt` (specification, "Webhook event
// record"). For an unmapped event, the provider's event name replaces the kind. A callback without a reference or a time is
// identified by its own bytes (design).
import { createHash } from 'node:crypto';

/** Maps the provider's event and the status of its resource to the normalised kind. */
const kinds: Record<string, string> = {
  'internal_transfer.updated COMPLETED': 'internal-transfer.completed',
  'internal_transfer.updated FAILED': 'internal-transfer.failed',
  'payout.updated COMPLETED': 'off-ramp.completed',
  'payout.updated FAILED': 'off-ramp.failed',
  'payout.updated ERROR': 'off-ramp.failed',
  'payout.updated REFUNDED': 'off-ramp.refunded',
};

type Body = {
  event?: string;
  data?: { uuid?: string; status?: string; direction?: string; kind?: string; updated_at?: string };
  updated_at?: string;
};

/**
 * @param bytes the request's body.
 * @returns the identity, and a summary of the callback. Two callbacks with different summaries must not share an identity.
 */
export function identityOf(bytes: Buffer): { identity: string; uuid: string; says: string } {
  const {
    event = 'unknown',
    data = {},
    updated_at: time = data.updated_at,
  } = JSON.parse(bytes.toString()) as Body;
  const isWhole = data.uuid !== undefined && time !== undefined;
  const identity = createHash('sha256')
    .update(isWhole ? `${kindOf(event, data)}:${data.uuid}:${time}` : bytes)
    .digest('hex');
  const uuid = data.uuid ?? identity;
  return { identity, uuid, says: `${event} of ${uuid} at ${time}` };
}

function kindOf(event: string, { status, direction, kind }: NonNullable<Body['data']>): string {
  // Only money from outside is a deposit. The credit of a conversion is not.
  if (event === 'movement.created' && direction === 'CREDIT' && kind === 'DEPOSIT') return 'deposit.received';
  return kinds[`${event} ${status}`] ?? event;
}
