// Pays the merchant. The first attempt creates a payout, a retry re-issues the same one, and what an unanswered request has
// already made is adopted: always under one handle.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { OutcomeUnknown, type RefusalCode } from '../provider/errors.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { applyReported } from '../snapshots/apply-reported.ts';
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

/** A retry is looked up, too: the payout of the attempt before it is the one to re-issue. */
function lookUpPayout(
  app: App,
  effect: RunningEffect,
  payment: PaymentToPayOut,
): Promise<LookedUp<PayoutSnapshot>> {
  const handle = payoutHandleOf(payment);
  const isFirstTry = payment.payoutAttempt === 1 && effect.attempts === 0;
  return lookUp(app, effect, handle, () => app.provider.findPayout(handle), isFirstTry);
}

/** @throws OutcomeUnknown when the answer is about an earlier attempt: that is applied, and this one tried again. */
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

/** A refused re-issue may mean that the earlier attempt came good after all: what exists decides, not the refusal. */
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
