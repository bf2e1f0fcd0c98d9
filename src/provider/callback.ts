// The subject of a provider's callback. Only its identity and the resource to fetch are taken from it: never a figure.

import { hash } from 'node:crypto';
import { isUuid } from '../domain/ids.ts';

/** The resource to fetch, because the callback itself proves nothing. */
export type ResourceRef =
  | { kind: 'owner' | 'account' | 'transfer' | 'payout'; providerRef: string }
  | { kind: 'movement'; providerRef: string; accountRef: string };

export type Callback = {
  eventType: string;
  /** SHA-256 of `kind:providerRef:updatedAt` in hex: the same change has the same identity however often it is sent. */
  externalId: string;
  /** Null: the event is not mapped. */
  resource: ResourceRef | null;
};

/** Names of events outside the provider's contract that a provider may send nevertheless. */
export type WiredEvents = {
  /** Its name for an owner whose verification was decided; null where it has none. */
  kycEvent: string | null;
};

/** Both are hints, by which the user of a callback is found before anything is fetched. Neither proves anything. */
export type Names = {
  /** The provider's id of the resource; of a movement, that of its account. */
  providerRef: string | null;
  /** Our handle of the resource. It is known here before the provider's id is. */
  handle: string | null;
};

/** It throws where the bytes are no UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @param rawBody the bytes as they came.
 * @throws SyntaxError or TypeError when they are not JSON in UTF-8.
 */
export function parseCallback(rawBody: Buffer, wired: WiredEvents): Callback {
  const body: unknown = JSON.parse(utf8.decode(rawBody));
  const eventType = textAt(body, 'event') ?? 'unknown';
  const data = isObject(body) ? body['data'] : undefined;
  const providerRef = textAt(data, 'uuid');
  const updatedAt = textAt(body, 'updated_at') ?? textAt(data, 'updated_at');
  const identity =
    providerRef !== null && updatedAt !== null
      ? `${kindOf(eventType, data, wired)}:${providerRef}:${updatedAt}`
      : rawBody;
  return {
    eventType: eventType.slice(0, 200),
    externalId: hash('sha256', identity, 'hex'),
    resource: isUuid(providerRef) ? resourceOf(eventType, providerRef, data, wired) : null,
  };
}

function resourceOf(
  eventType: string,
  providerRef: string,
  data: unknown,
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

/** @param rawBody as it was accepted: it is JSON. */
export function namesIn(rawBody: Buffer, resource: ResourceRef | null): Names {
  const body: unknown = JSON.parse(rawBody.toString());
  const data = isObject(body) ? body['data'] : undefined;
  const handle = textAt(data, 'origin_id') ?? textAt(data, 'external_id');
  const providerRef = resource?.kind === 'movement' ? resource.accountRef : (resource?.providerRef ?? null);
  return { providerRef, handle: isUuid(handle) ? handle : null };
}

/** The normalised kind of the event; an event without one keeps its own name. */
function kindOf(eventType: string, data: unknown, { kycEvent }: WiredEvents): string {
  if (eventType === kycEvent && isDecided(data)) return 'kyc.updated';
  if (eventType === 'movement.created' && mayBeDeposit(data)) return 'deposit.received';
  return kinds[`${eventType} ${textAt(data, 'status')}`] ?? eventType;
}

/** Most movements are the counterpart of what we ordered ourselves; they are ignored without a look-up. */
function mayBeDeposit(data: unknown): boolean {
  const direction = textAt(data, 'direction') ?? 'CREDIT';
  const kind = textAt(data, 'kind') ?? 'DEPOSIT';
  return direction === 'CREDIT' && kind === 'DEPOSIT';
}

const isDecided = (data: unknown): boolean => ['COMPLETED', 'FAILED'].includes(textAt(data, 'status') ?? '');

const kinds: Record<string, string> = {
  'internal_transfer.updated COMPLETED': 'internal-transfer.completed',
  'internal_transfer.updated FAILED': 'internal-transfer.failed',
  'payout.updated COMPLETED': 'off-ramp.completed',
  'payout.updated FAILED': 'off-ramp.failed',
  'payout.updated ERROR': 'off-ramp.failed',
  'payout.updated REFUNDED': 'off-ramp.refunded',
};

const textAt = (value: unknown, key: string): string | null => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
