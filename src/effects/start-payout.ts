// Pays the merchant under one handle. The first attempt creates a payout, and a retry re-issues it. A payout that an unanswered
// request has already created is adopted.

import { handleFor } from '../domain/handles.ts';
import { costs } from '../domain/name-budget.ts';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import { required } from '../domain/required.ts';
import { accountRefsIn } from '../ledger/account-refs.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { PayoutSnapshot, Provider } from '../provider/port.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import { returnTokens } from '../tables/name-budgets/statements.ts';
import type { Db } from '../tables/orm.ts';
import { findCode, setCodeTokenReturned } from '../tables/pix-codes/statements.ts';
import { findLookup, setTokenReturned } from '../tables/pix-lookups/statements.ts';
import { findPaymentToPayOut } from '../tables/pix-payments/statements.ts';
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
import { assertNoTwin, lookUp } from './look-up.ts';

type Payment = NonNullable<Awaited<ReturnType<typeof findPaymentToPayOut>>>;

export const startPayout: EffectHandler = async (services, effect) => {
  const { subjectId: id, userId } = effect;
  const payment = required(await findPaymentToPayOut(services.db, { id, userId }), `the payment ${id}`);
  const { payoutAttempt: attempt } = payment;
  const handle = handleFor(id, 'payout');
  const find = () => services.provider.findPayout(handle);
  // A retry looks the payout up even in its first run, because it re-issues the payout of the attempt before it.
  const isFirstTry = attempt === 1 && effect.attempts === 0;
  const { existing, lookedUpAt } = await lookUp(services, effect, handle, find, isFirstTry);
  if (existing && existing.attempt >= attempt) return completeWith(services, effect, existing);
  assertRepeatable(effect, lookedUpAt);

  // While a twin is unresolved, re-issuing could pay twice.
  if (existing) await assertNoTwin(services.db, effect);
  const answer = await createOrAdopt({
    find,
    create: () =>
      existing
        ? services.provider.reissuePayout({ providerRef: existing.providerRef, handle, attempt })
        : createPayout(services, payment, handle),
  });
  if ('snapshot' in answer) return adopt(services, effect, payment, answer.snapshot);
  if (existing && (await hasSucceeded(services, effect, existing))) return { kind: 'done' };
  return failDefinitively(
    services,
    pixPayment,
    effect,
    {
      type: 'off-ramp.failed',
      reason: 'payout_failed',
      attempt,
      attempted: false,
      ...(payment.codeId !== null && payoutFailureOf(answer.reason)),
    },
    { why: answer.refusal, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
};

/** Why the provider refused the payout of a code, for the user. An unknown reason tells the user nothing. */
function payoutFailureOf(reason: string | null): { payoutFailure?: PayoutFailure } {
  const code = reason === 'expired' ? 'code_expired' : reason === 'already_paid' ? 'other' : null;
  return code === null ? {} : { payoutFailure: { code, limit: null, retryFrom: null } };
}

async function createPayout(
  { db, provider, sealer }: { db: Db; provider: Provider; sealer: Sealer },
  payment: Payment,
  handle: string,
): Promise<PayoutSnapshot> {
  const { id, userId, pixKeyType, pixKeySealed, recipientNameSealed: nameSealed, lookupId, codeId } = payment;
  const pixKey = await sealer.open(encryptionContexts.pixKey(userId, id), pixKeySealed);
  const recipientName =
    nameSealed && (await sealer.open(encryptionContexts.recipientName(userId, id), nameSealed));
  const lookup = lookupId === null ? undefined : await findLookup(db, { id: lookupId, userId });
  const code = codeId === null ? undefined : await findCode(db, { id: codeId, userId });
  if (lookup) await returnToken(db, lookup, setTokenReturned);
  if (code) await returnToken(db, code, setCodeTokenReturned);
  return provider.createPayout({
    handle,
    sourceAccountRef: accountRefsIn(payment.refs).of('BRL'),
    amountMinor: payment.amountBrlMinor,
    currency: 'BRL',
    destination: { rail: 'PIX', pixKey, pixKeyType, recipientName },
    ...(lookup && { lookupRef: lookup.providerLookupId }),
    ...(code && { codeRef: code.providerCodeId }),
  });
}

/**
 * Gives back the token of the look-up or code, once, because a payout to its key is ordered. It runs before the call: if the call's
 * answer is lost, a callback may end the effect, which then does not run again.
 */
async function returnToken(
  db: Db,
  { id, userId }: { id: string; userId: string },
  setReturned: typeof setTokenReturned,
): Promise<void> {
  if ((await setReturned(db, { id, userId })) === 1) await returnTokens(db, { userId, tokens: costs.name });
}

/**
 * Applies the payout that the provider returned.
 * @throws OutcomeUnknown if it is about an earlier attempt: that attempt's state is applied, and the effect is retried.
 */
async function adopt(
  services: EffectServices,
  effect: RunningEffect,
  { payoutAttempt }: Payment,
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
  effect: RunningEffect,
  { providerRef }: PayoutSnapshot,
): Promise<boolean> {
  const payout = await services.provider.getPayout(providerRef);
  return (await applyReported(services, payout, causeOf(effect))) === 'applied';
}
