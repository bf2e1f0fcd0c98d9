// Converts the BRL of a failed payout back to the home currency, after an operator's command. The quote that was committed with the
// command is used first. A fresh one is taken only when a look-up shows that no transfer used the earlier one. While a price costs
// more than the cap, the effect waits, and operators see it.

import { handleFor } from '../domain/handles.ts';
import { required } from '../domain/required.ts';
import { StillInFlight } from '../outbox/backoff.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { findUsableQuote } from '../tables/conversion-quotes/statements.ts';
import { findConversionToQuote } from '../tables/pix-payments/statements.ts';
import { commitQuote, releaseSharedQuote, type SharedQuote } from './committed-quotes.ts';
import { completeWith } from './complete.ts';
import { causeOf, type EffectServices, type KnownOutcome, type RunningEffect } from './effect.ts';
import { routeOf, takeFreshQuote } from './fresh-quote.ts';
import { untilFreshQuotesAreOver } from './in-flight.ts';
import { lookUp } from './look-up.ts';
import { findPayoutMoney, isMoneyDisputed } from './payout-money.ts';
import {
  type Attempt,
  assertNoQuoteIsConsumed,
  giveUp,
  isAboutQuote,
  needsAnotherQuote,
} from './start-requoted-conversion.ts';

const leg = 'return';

export async function startReturn(services: EffectServices, effect: RunningEffect): Promise<KnownOutcome> {
  const handle = handleFor(effect.subjectId, 'conversion-return');
  const find = () => services.provider.findTransfer(handle);
  const { existing, lookedUpAt } = await lookUp(services, effect, handle, find, false);
  if (existing) return completeWith(services, effect, existing);
  const attempt = { effect, leg, handle, lookedUpAt } as const;
  if (effect.heldRefusal !== null) return giveUp(services, attempt, effect.heldRefusal);
  await assertNoQuoteIsConsumed(services.db, attempt);

  const { subjectId: id, userId } = effect;
  const payment = required(await findConversionToQuote(services.db, { id, userId }), `the payment ${id}`);
  if (await isMoneyDisputed(services.db, payment)) throw waits('a discrepancy is open');
  const { returnCreditRef, returnCreditConfirmedBy } = payment;
  const creditRef = returnCreditConfirmedBy === null ? null : returnCreditRef;
  const money = await findPayoutMoney(services, payment, creditRef);
  if (!money.isBack) {
    // The payout may have reached the merchant after all. Then it decides, and this effect is superseded.
    const isApplied =
      money.payout !== null && (await applyReported(services, money.payout, causeOf(effect))) === 'applied';
    if (isApplied) return { kind: 'done' };
    throw waits(money.why);
  }

  const quote = await quoteToUse(services, attempt);
  if (quote === null) return { kind: 'done' };
  const route = await routeOf(services.db, effect, leg, payment);
  // From here on a request may be in flight. Repeating it with the same quote and handle creates nothing twice.
  const create = () => services.provider.createTransfer({ handle, quoteRef: quote.providerRef, ...route });
  const answer = await createOrAdopt({ find, create });
  if ('snapshot' in answer) return completeWith(services, effect, answer.snapshot);
  const isAnotherQuoteNeeded = isAboutQuote(answer.refusal);
  await releaseSharedQuote(services.db, effect, quote, answer.refusal);
  if (isAnotherQuoteNeeded) throw needsAnotherQuote(leg, answer.refusal);
  return giveUp(services, attempt, answer.refusal);
}

/**
 * Returns a committed quote: the one that is still alive, or a fresh one.
 * @returns null if the payment has a newer transition: then nothing may be sent.
 * @throws OutcomeUnknown while an earlier quote may have been used, or while no price is within the cap.
 */
async function quoteToUse(
  services: EffectServices,
  { effect, handle, lookedUpAt }: Attempt,
): Promise<SharedQuote | null> {
  const { subjectId: paymentId, userId } = effect;
  const now = await DatabaseTime.read(services.db);
  const usable = await findUsableQuote(services.db, { paymentId, userId, leg, now });
  if (usable) return { providerRef: usable.providerQuoteId, isReused: true };
  // Without an unanswered request, the look-up of this run shows that the expired quote was not used.
  const until =
    effect.lastUnknownAt === null ? null : await untilFreshQuotesAreOver(leg)(services.db, effect);
  if (until !== null && (lookedUpAt === null || lookedUpAt < until))
    throw new StillInFlight(leg, 'its quote has expired', until.getTime() - (lookedUpAt ?? until).getTime());
  const fresh = await takeFreshQuote(services, effect, leg);
  if ('refused' in fresh) throw waits(`no price is within the cap: ${fresh.refused}`);
  const { providerRef } = fresh.quote;
  return (await commitQuote(services, effect, leg, handle, fresh.quote))
    ? { providerRef, isReused: false }
    : null;
}

const waits = (why: string) => new OutcomeUnknown(leg, `waits: ${why}`, { mayHaveActed: false });
