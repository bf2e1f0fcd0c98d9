// Reads from a provider's callback its identity, the resource to fetch and what it announces. No amount is ever taken from a callback.

import { hash } from 'node:crypto';
import { isUuid } from '../domain/ids.ts';
import type { Snapshot } from './port.ts';

/** The resource that a callback names. It has to be fetched, because the callback itself proves nothing. */
export type ResourceRef =
  | { kind: 'owner' | 'account' | 'transfer' | 'payout'; providerRef: string }
  | { kind: 'movement'; providerRef: string; accountRef: string };

export type Callback = {
  eventType: string;
  /**
   * The SHA-256 of `kind:providerRef:updatedAt`, so that a change has the same identity each time it is sent. The hash of the whole
   * body if the callback has no uuid or time.
   */
  identity: Buffer;
  /** Null if the service does not use this kind of event. */
  resource: ResourceRef | null;
  names: Names;
  /** Null if the callback has no valid time. */
  announced: Announced | null;
};

/**
 * The state that a callback announces for its resource. It is a hint that a newer snapshot can be fetched. A false announcement costs
 * a few reads.
 */
export type Announced = { updatedAt: Date; status: Snapshot['status'] | null; attempt: number };

/** Configured names of events that a provider sends although its contract does not have them. */
export type WiredEvents = {
  /** The name of the event that an owner's verification was decided. Null if the provider has no such event. */
  kycEvent: string | null;
};

/** The ids in a callback by which its user is found before anything is fetched. They are hints and prove nothing. */
export type Names = {
  /** The provider's id of the resource; for a movement, the id of its account. */
  providerRef: string | null;
  /** Our handle of the resource, which is stored before the provider's id is known. */
  handle: string | null;
};

/** Throws if the bytes are not valid UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a callback.
 * @param rawBody the bytes as received.
 * @throws SyntaxError or TypeError if they are not JSON in UTF-8.
 */
export function parseCallback(rawBody: Buffer, wired: WiredEvents): Callback {
  const body = objectOf(JSON.parse(utf8.decode(rawBody)));
  const eventType = textAt(body, 'event') ?? 'unknown';
  const data = objectOf(body['data']);
  const providerRef = textAt(data, 'uuid');
  const updatedAt = textAt(body, 'updated_at') ?? textAt(data, 'updated_at');
  const identified =
    providerRef !== null && updatedAt !== null
      ? `${kindOf(eventType, data, wired)}:${providerRef}:${updatedAt}`
      : rawBody;
  const resource = isUuid(providerRef) ? resourceOf(eventType, providerRef, data, wired) : null;
  return {
    eventType: eventType.slice(0, 200),
    identity: hash('sha256', identified, 'buffer'),
    resource,
    names: namesIn(eventType, data),
    announced: announcedBy(body, data),
  };
}

function resourceOf(
  eventType: string,
  providerRef: string,
  data: Fields,
  { kycEvent }: WiredEvents,
): ResourceRef | null {
  switch (eventType) {
    case kycEvent:
      return { kind: 'owner', providerRef };
    case 'internal_transfer.updated':
      return { kind: 'transfer', providerRef };
    case 'payout.updated':
      return { kind: 'payout', providerRef };
    case 'account.status_updated':
      return { kind: 'account', providerRef };
    case 'movement.created': {
      if (!mayBeDeposit(data)) return null;
      const accountRef = textAt(data, 'account_uuid');
      return isUuid(accountRef) ? { kind: 'movement', providerRef, accountRef } : null;
    }
    default:
      return null;
  }
}

/** An event that is not mapped may also name one of our resources. */
function namesIn(eventType: string, data: Fields): Names {
  const handle = textAt(data, 'origin_id') ?? textAt(data, 'external_id');
  const providerRef = textAt(data, eventType === 'movement.created' ? 'account_uuid' : 'uuid');
  return { providerRef: isUuid(providerRef) ? providerRef : null, handle: isUuid(handle) ? handle : null };
}

function announcedBy(body: Fields, data: Fields): Announced | null {
  // Prefer the resource's time: the callback's time may be the time of its sending.
  const updatedAt = new Date(textAt(data, 'updated_at') ?? textAt(body, 'updated_at') ?? '');
  if (Number.isNaN(updatedAt.getTime())) return null;
  const { attempt } = data;
  return {
    updatedAt,
    status: statuses[textAt(data, 'status') ?? ''] ?? null,
    attempt: typeof attempt === 'number' ? attempt : 1,
  };
}

const statuses: Record<string, Snapshot['status']> = {
  PENDING: 'pending',
  PROVISIONING: 'provisioning',
  ACTIVE: 'active',
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  REFUNDED: 'refunded',
};

/** Returns the normalised kind of an event, or the event's own name if it has no normalised kind. */
function kindOf(eventType: string, data: Fields, { kycEvent }: WiredEvents): string {
  if (eventType === kycEvent && isDecided(data)) return 'kyc.updated';
  if (eventType === 'movement.created' && mayBeDeposit(data)) return 'deposit.received';
  return kinds[`${eventType} ${textAt(data, 'status')}`] ?? eventType;
}

/** Returns whether a movement may be a deposit. Most movements are counterparts of our own requests and are ignored without a look-up. */
function mayBeDeposit(data: Fields): boolean {
  const direction = textAt(data, 'direction') ?? 'CREDIT';
  const kind = textAt(data, 'kind') ?? 'DEPOSIT';
  return direction === 'CREDIT' && kind === 'DEPOSIT';
}

const isDecided = (data: Fields): boolean => ['COMPLETED', 'FAILED'].includes(textAt(data, 'status') ?? '');

const kinds: Record<string, string> = {
  'internal_transfer.updated COMPLETED': 'internal-transfer.completed',
  'internal_transfer.updated FAILED': 'internal-transfer.failed',
  'payout.updated COMPLETED': 'off-ramp.completed',
  'payout.updated FAILED': 'off-ramp.failed',
  'payout.updated ERROR': 'off-ramp.failed',
  'payout.updated REFUNDED': 'off-ramp.refunded',
};

type Fields = Record<string, unknown>;

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textAt = (fields: Fields, key: string): string | null => {
  const found = fields[key];
  return typeof found === 'string' && found !== '' ? found : null;
};
