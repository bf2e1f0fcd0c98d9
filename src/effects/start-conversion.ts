// Starts one conversion of a PIX payment: `direct` and `leg1` use the locked quote, `leg2`, `reverse` and `return` take a fresh one.

import type { ConversionLeg } from '../../machines/effects.ts';
import type { FailureCode } from '../domain/failure-reasons.ts';
import { handleFor } from '../domain/handles.ts';
import { required } from '../domain/required.ts';
import { accountRefsIn } from '../ledger/account-refs.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import type { RefusalCode } from '../provider/errors.ts';
import { findLockedConversion } from '../tables/pix-payments/statements.ts';
import { completeWith } from './complete.ts';
import type { EffectHandler, EffectServices, KnownOutcome, RunningEffect } from './effect.ts';
import { failDefinitively, storePendingRefusal } from './fail-definitively.ts';
import { untilLockedQuoteIsOver } from './in-flight.ts';
import { lookUp } from './look-up.ts';
import { quoteConsumed } from './quote-consumed.ts';
import { startPartialReturn } from './start-partial-return.ts';
import { startRequotedConversion } from './start-requoted-conversion.ts';
import { startReturn } from './start-return.ts';

export const startConversion: EffectHandler = (services, effect) => {
  const { leg } = effect.params as { leg: ConversionLeg };
  switch (leg) {
    case 'direct':
    case 'leg1':
      return startLockedConversion(services, effect, leg);
    case 'leg2':
    case 'reverse':
      return startRequotedConversion(services, effect, leg);
    case 'return':
      return startReturn(services, effect);
    case 'partial':
      return startPartialReturn(services, effect);
  }
};

async function startLockedConversion(
  services: EffectServices,
  effect: RunningEffect,
  leg: 'direct' | 'leg1',
): Promise<KnownOutcome> {
  const { subjectId: id, userId } = effect;
  const payment = required(await findLockedConversion(services.db, { id, userId }), `the payment ${id}`);
  const handle = handleFor(id, `conversion-${leg}`);
  const find = () => services.provider.findTransfer(handle);
  const { existing, lookedUpAt } = await lookUp(services, effect, handle, find);
  if (existing) return completeWith(services, effect, existing);

  const refuse = (code: string) =>
    failDefinitively(
      services,
      pixPayment,
      effect,
      { type: `${leg}.failed`, reason: reasonFor[code as DefinitiveRefusal] ?? 'provider_rejected' },
      { why: code, lookedUpAt, inFlightUntil: untilLockedQuoteIsOver(payment) },
    );
  if (effect.heldRefusal === 'quote_consumed') throw quoteConsumed();
  if (effect.heldRefusal !== null) return refuse(effect.heldRefusal);

  const accounts = accountRefsIn(payment.refs);
  const answer = await createOrAdopt({
    find,
    create: () =>
      services.provider.createTransfer({
        handle,
        quoteRef: payment.providerQuoteId,
        sourceAccountRef: accounts.of(payment.sourceCurrency),
        destinationAccountRef: accounts.of(leg === 'direct' ? 'BRL' : 'USDC'),
      }),
  });
  if ('snapshot' in answer) return completeWith(services, effect, answer.snapshot);
  if (answer.refusal !== 'quote_consumed') return refuse(answer.refusal);
  await storePendingRefusal(services.db, effect, answer.refusal);
  throw quoteConsumed();
}

type DefinitiveRefusal = Exclude<RefusalCode, 'quote_consumed'>;

// The quote was locked for this request only, so `quote_expired` means that no money moved.
const reasonFor: Record<DefinitiveRefusal, FailureCode> = {
  insufficient_funds: 'insufficient_funds',
  account_not_active: 'account_not_active',
  quote_expired: 'quote_expired',
  rejected: 'provider_rejected',
  origin_id_conflict: 'provider_rejected',
};
