// Derives the idempotency handles of the objects that we create at the provider, so that repeating a request creates nothing twice
// (docs/decisions/0004-derived-idempotency-handles.md).
import { parse, v5 as uuidV5 } from 'uuid';

/** The purposes of handles: one for each object that is created at the provider for a user, a payment, a withdrawal or a movement. */
export const handlePurposes = [
  'owner',
  'account-GBP',
  'account-EUR',
  'account-BRL',
  'account-USDC',
  'conversion-direct',
  'conversion-leg1',
  'conversion-leg2',
  'conversion-reverse',
  'conversion-return',
  'conversion-partial',
  'payout',
  'withdraw',
  'contestation',
] as const;

export type HandlePurpose = (typeof handlePurposes)[number];

/**
 * The namespace of all handles. It must never change: with another one, everything in progress would be
 * created at the provider again.
 */
const namespace = parse('b8ea43ba-94e8-4e49-a2cc-1d6cc4caf403');

/**
 * Returns the idempotency handle (`origin_id` or `external_id`) of one object at the provider.
 * @param internalId our id of the user, payment or withdrawal, as the database writes it (lower case)
 * @returns a uuid, version 5: the same for the same id and purpose, and different for any other pair
 */
export function handleFor(internalId: string, purpose: HandlePurpose): string {
  return uuidV5(`${internalId}:${purpose}`, namespace);
}

/**
 * Returns the id under which a payment claims a charge of a PIX code.
 * @param chargeRef the provider's id of the charge, in lower case
 * @param turn how many payments claimed the charge before, all of which failed or were returned. The first claim has the charge's id.
 */
export const chargeClaimId = (chargeRef: string, turn: number): string =>
  turn === 0 ? chargeRef : uuidV5(`${chargeRef}:charge-${turn}`, namespace);
