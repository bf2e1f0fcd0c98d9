// Pays the merchant under one handle. The first attempt creates a payout, and a retry re-issues it. A payout that an unanswered
// request has already created is adopted.
import type { App } from '../start/app.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { OutcomeUnknown, type RefusalCode } from '../provider/errors.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { completeWith } from './complete.ts';
import { causeOf, type EffectHandler, type KnownOutcome, type RunningEffect } from './effect.ts';
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

export const startPayout: EffectHandler = async (app, effect) => {
  const payment = await findPayment(app, effect);
  const { existing, lookedUpAt } = await lookUpPayout(app, effect, payment);
  if (existing && existing.attempt >= payment.payoutAttempt) return completeWith(app, effect, existing);
  assertRepeatable(effect, lookedUpAt);
  const answer = existing
    ? await reissuePayout(app, effect, payment, existing)
    : await createPayout(app, payment);
  if ('snapshot' in answer) return adopt(app, effect, payment, answer.snapshot);
  if (existing && (await hasComeGood(app, effect, existing))) return { kind: 'done' };
  return fail(app, effect, payment, answer.refusal, lookedUpAt);
};

/** Looks up the payout. A retry looks it up even in its first run, because it re-issues the payout of the attempt before it. */
function lookUpPayout(
  app: App,
  effect: RunningEffect,
  payment: PaymentToPayOut,
): Promise<LookedUp<PayoutSnapshot>> {
  const handle = payoutHandleOf(payment);
  const isFirstTry = payment.payoutAttempt === 1 && effect.attempts === 0;
  return lookUp(app, effect, handle, () => app.provider.findPayout(handle), isFirstTry);
}

/**
 * Applies the payout that the provider returned.
 * @throws OutcomeUnknown if it is about an earlier attempt: that attempt's state is applied, and the effect is retried.
 */
async function adopt(
  app: App,
  effect: Entity<'Effect'>,
  { payoutAttempt }: PaymentToPayOut,
  payout: PayoutSnapshot,
): Promise<KnownOutcome> {
  if (payout.attempt >= payoutAttempt) return completeWith(app, effect, payout);
  await applyReported(app, payout, causeOf(effect));
  throw new OutcomeUnknown('startPayout', 'the answer is about an earlier attempt');
}

/**
 * Fetches the payout after a refused re-issue and applies it. The provider may refuse because the earlier attempt has succeeded,
 * so the payout's state decides, not the refusal.
 */
async function hasComeGood(
  app: App,
  effect: Entity<'Effect'>,
  { providerRef }: PayoutSnapshot,
): Promise<boolean> {
  return (await applyReported(app, await app.provider.getPayout(providerRef), causeOf(effect))) === 'applied';
}

const fail = (
  app: App,
  effect: Entity<'Effect'>,
  { payoutAttempt: attempt }: PaymentToPayOut,
  why: RefusalCode,
  lookedUpAt: Date | null,
): Promise<KnownOutcome> =>
  failDefinitively(
    app,
    pixPayment,
    effect,
    { type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: false },
    { why, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
