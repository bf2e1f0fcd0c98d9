// The idempotency handles of what we create at the provider. Derived, so that a repeated request creates nothing twice.
import { parse, v5 as uuidV5 } from 'uuid';

/** The purposes: one for each object that is created at the provider for a user, a payment or a withdrawal. */
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
  'payout',
  'withdraw',
] as const;

export type HandlePurpose = (typeof handlePurposes)[number];

/** Must never change: with another namespace, everything in progress at the provider would be ordered again. */
const namespace = parse('b8ea43ba-94e8-4e49-a2cc-1d6cc4caf403');

/**
 * The idempotency handle (`origin_id` or `external_id`) of one order.
 * @param internalId our own id of the user, payment or withdrawal, as the database writes it (lower case)
 * @returns a uuid, version 5: for one id and purpose always the same, for any other pair another
 */
export function handleFor(internalId: string, purpose: HandlePurpose): string {
  return uuidV5(`${internalId}:${purpose}`, namespace);
}
