// Starts one conversion of a PIX payment: with the quote that was locked for it, or with a fresh one where none was.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { App } from '../app.ts';
import type { FailureCode } from '../domain/failure-reasons.ts';
import { handleFor } from '../domain/handles.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { RefusalCode } from '../provider/errors.ts';
import { accountRefs } from '../queries/account-refs.ts';
import type { EffectHandler, EffectRow, Ending } from './effect.ts';
import { finishWith } from './finish.ts';
import { assertNothingInFlight } from './in-flight.ts';
import { place } from './place.ts';
import { settle } from './settle.ts';
import { startRequotedConversion } from './start-requoted-conversion.ts';

export const startConversion: EffectHandler = (app, effect) => {
  const { leg } = effect.params as { leg: ConversionLeg };
  return leg === 'leg2' || leg === 'reverse'
    ? startRequotedConversion(app, effect, leg)
    : startLockedConversion(app, effect, leg);
};

async function startLockedConversion(app: App, effect: EffectRow, leg: 'direct' | 'leg1'): Promise<Ending> {
  const payment = await app.db
    .selectFrom('pix_payments')
    .innerJoin('pix_quotes', 'pix_quotes.id', 'pix_payments.quote_id')
    .select(['pix_payments.id', 'pix_payments.source_currency', 'pix_quotes.provider_quote_id'])
    .where('pix_payments.id', '=', effect.subject_id)
    .where('pix_payments.user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();
  const accounts = await accountRefs(app.db, effect.user_id);
  const handle = handleFor(payment.id, `conversion-${leg}`);

  const placed = await place(effect.attempts, {
    find: () => app.provider.findTransfer(handle),
    create: () =>
      app.provider.createTransfer({
        handle,
        quoteRef: payment.provider_quote_id,
        sourceAccountRef: accounts.of(payment.source_currency),
        destinationAccountRef: accounts.of(leg === 'direct' ? 'BRL' : 'USDC'),
      }),
  });
  if ('snapshot' in placed) return finishWith(app, effect, placed.snapshot);
  assertNothingInFlight(app, effect);
  return settle(app, pixPayment, effect, { type: `${leg}.failed`, reason: reasonFor[placed.refusal] });
}

// The quote was locked and this is its only use, so an expired or consumed one means that nothing moved.
const reasonFor: Record<RefusalCode, FailureCode> = {
  insufficient_funds: 'insufficient_funds',
  account_not_active: 'account_not_active',
  quote_expired: 'quote_expired',
  quote_consumed: 'quote_expired',
  rejected: 'provider_rejected',
  origin_id_conflict: 'provider_rejected',
};
