// The identity that a callback must be stored under: the SHA-256 of `kind:providerRef:updatedAt` (specification,
// "Webhook event record"). An unmapped event uses its own name, and one without reference or time its own bytes
// (design).
import { createHash } from 'node:crypto';

/** The normalised kind, by the provider's event and the status of its resource. */
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
 * @returns the identity, and a summary of the callback: two with different summaries must not share an identity.
 */
export function identityOf(bytes: Buffer): { externalId: string; uuid: string; says: string } {
  const {
    event = 'unknown',
    data = {},
    updated_at: time = data.updated_at,
  } = JSON.parse(bytes.toString()) as Body;
  const isWhole = data.uuid !== undefined && time !== undefined;
  const externalId = createHash('sha256')
    .update(isWhole ? `${kindOf(event, data)}:${data.uuid}:${time}` : bytes)
    .digest('hex');
  const uuid = data.uuid ?? externalId;
  return { externalId, uuid, says: `${event} of ${uuid} at ${time}` };
}

function kindOf(event: string, { status, direction, kind }: NonNullable<Body['data']>): string {
  // Only money from outside is a deposit; the credit of a conversion is not.
  if (event === 'movement.created' && direction === 'CREDIT' && kind === 'DEPOSIT') return 'deposit.received';
  return kinds[`${event} ${status}`] ?? event;
}
