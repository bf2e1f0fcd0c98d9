// Pays the merchant under one handle. The first attempt creates a payout, and a retry re-issues it. A payout that an unanswered
// request has already created is adopted.

import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { Committing } from '../outbox/hand-off.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import { OutcomeUnknown, type RefusalCode } from '../provider/errors.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { completeWith } from './complete.ts';
import {
  causeOf,
  type EffectHandler,
  type EffectServices,
  type KnownOutcome,
  type RunningEffect,
} from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { assertRepeatable, untilUnansweredIsOld } from './in-flight.ts';
import { type LookedUp, lookUp } from './look-up.ts';
import {
  createPayout,
  findPayment,
  type PaymentToPayOut,
  payoutHandleOf,
  reissuePayout,
} from './payout-requests.ts';

export const startPayout: EffectHandler = async (services, effect) => {
  const payment = await findPayment(services.db, effect);
  const { existing, lookedUpAt } = await lookUpPayout(services, effect, payment);
  if (existing && existing.attempt >= payment.payoutAttempt) return completeWith(services, effect, existing);
  assertRepeatable(effect, lookedUpAt);
  const answer = existing
    ? await reissuePayout(services, effect, payment, existing)
    : await createPayout(services, payment);
  if ('snapshot' in answer) return adopt(services, effect, payment, answer.snapshot);
  if (existing && (await hasSucceeded(services, effect, existing))) return { kind: 'done' };
  return fail(services, effect, payment, answer.refusal, lookedUpAt);
};

/** Looks up the payout. A retry looks it up even in its first run, because it re-issues the payout of the attempt before it. */
function lookUpPayout(
  services: EffectServices,
  effect: RunningEffect,
  payment: PaymentToPayOut,
): Promise<LookedUp<PayoutSnapshot>> {
  const handle = payoutHandleOf(payment);
  const isFirstTry = payment.payoutAttempt === 1 && effect.attempts === 0;
  return lookUp(services, effect, handle, () => services.provider.findPayout(handle), isFirstTry);
}

/**
 * Applies the payout that the provider returned.
 * @throws OutcomeUnknown if it is about an earlier attempt: that attempt's state is applied, and the effect is retried.
 */
async function adopt(
  services: EffectServices,
  effect: Entity<'Effect'>,
  { payoutAttempt }: PaymentToPayOut,
  payout: PayoutSnapshot,
): Promise<KnownOutcome> {
  if (payout.attempt >= payoutAttempt) return completeWith(services, effect, payout);
  await applyReported(services, payout, causeOf(effect));
  throw new OutcomeUnknown('startPayout', 'the answer is about an earlier attempt');
}

/**
 * Fetches the payout after a refused re-issue and applies it. The provider may refuse because the earlier attempt has succeeded,
 * so the payout's state decides, not the refusal.
 */
async function hasSucceeded(
  services: EffectServices,
  effect: Entity<'Effect'>,
  { providerRef }: PayoutSnapshot,
): Promise<boolean> {
  return (
    (await applyReported(services, await services.provider.getPayout(providerRef), causeOf(effect))) ===
    'applied'
  );
}

const fail = (
  services: Committing & { clock: Clock; log: Log },
  effect: Entity<'Effect'>,
  { payoutAttempt: attempt }: PaymentToPayOut,
  why: RefusalCode,
  lookedUpAt: Date | null,
): Promise<KnownOutcome> =>
  failDefinitively(
    services,
    pixPayment,
    effect,
    { type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: false },
    { why, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
