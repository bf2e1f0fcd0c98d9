// Checks of payouts: whether a limit would stop one. A check creates and reserves nothing.

import { payoutCheckOutcome } from '../magic.ts';
import { writeAmount } from '../money.ts';
import { isoTime } from '../time.ts';
import type { Operation } from './handler.ts';
import { ok, type Schemas } from './operation.ts';
import { limitEnd } from './payouts.ts';
import { refuse } from './refusal.ts';

/** What the limits allow, in centavos. */
const LIMIT_AMOUNTS = { per_payment: 500_000, day: 200_000, night: 100_000 };
const ALLOWED = { allowed: true, limit: null, limit_amount: null, resets_at: null };

export const createPayoutCheck: Operation<Schemas['PayoutCheckCreate']> = (context, { body }) => {
  // A 404 would say that the provider has no checks.
  if (!context.store.get('select 1 from accounts where uuid = ?', body.source_account_uuid.toLowerCase()))
    throw refuse('invalid_request', 'no such account');
  const outcome = payoutCheckOutcome(body.destination);
  if (outcome === 'allowed') return ok(ALLOWED);
  if (outcome === 'unavailable') throw refuse('unavailable', 'the limits cannot be read');
  const ends = limitEnd(context.now(), outcome);
  return ok({
    allowed: false,
    limit: outcome,
    limit_amount: writeAmount(LIMIT_AMOUNTS[outcome], 'BRL'),
    resets_at: ends === null ? null : isoTime(ends),
  });
};
