// Requests a fresh quote for leg 2 or the reverse leg of a payment.

import { accountRefs } from '../ledger/account-refs.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { findConversionToQuote } from '../platform/sql/pix-payments.ts';
import { ProviderRefusal } from '../provider/errors.ts';
import type { Provider, ProviderQuote, QuoteRequest } from '../provider/port.ts';
import type { RequotedLeg } from './committed-quotes.ts';

export type FreshQuote = {
  quote: ProviderQuote;
  route: { sourceAccountRef: string; destinationAccountRef: string };
};

type Payment = NonNullable<Awaited<ReturnType<typeof findConversionToQuote>>>;

/**
 * Requests a fresh quote, with the accounts that the conversion uses.
 * @returns `refused`, with the reason, if the provider refuses to quote or the price is more than leg 1 delivered.
 * @throws OutcomeUnknown if the provider gives no usable answer.
 */
export async function takeFreshQuote(
  { db, provider, config }: { db: Db; provider: Provider; config: Config },
  effect: Entity<'Effect'>,
  leg: RequotedLeg,
): Promise<FreshQuote | { refused: string }> {
  const payment = await findConversionToQuote(db, { id: effect.subjectId, userId: effect.userId });
  if (!payment) throw new Error(`the payment ${effect.subjectId} is missing`);
  const quote = await quoteFor({ provider, config }, payment, leg);
  if (quote === null) return { refused: 'no quote can be had' };
  // Spend at most the USDC that leg 1 delivered: the rest of the account does not belong to this payment.
  if (quote.sourceAmountMinor > (payment.usdcDeliveredMinor ?? 0))
    return { refused: 'the market asks too much' };
  const accounts = await accountRefs(db, effect.userId);
  const route = {
    sourceAccountRef: accounts.of('USDC'),
    destinationAccountRef: accounts.of(leg === 'leg2' ? 'BRL' : payment.sourceCurrency),
  };
  return { quote, route };
}

/** Returns null if the provider refuses to quote. */
async function quoteFor(
  { provider, config }: { provider: Provider; config: Config },
  payment: Payment,
  leg: RequotedLeg,
): Promise<ProviderQuote | null> {
  try {
    return await provider.createQuote(leg === 'leg2' ? towardsReais(payment) : wayBack(config, payment));
  } catch (error) {
    if (error instanceof ProviderRefusal) return null;
    throw error;
  }
}

/** The quote request of leg 2. It fixes the destination amount, so that the merchant receives exactly the promised BRL. */
const towardsReais = ({ amountBrlMinor }: Payment): QuoteRequest => ({
  sourceCurrency: 'USDC',
  destinationCurrency: 'BRL',
  destinationAmountMinor: amountBrlMinor,
});

/**
 * The quote request of the reverse leg. It fixes the destination amount to the exact debit, so that the user gets back what was
 * debited. The company pays for a small market move, up to `makeWholeCapBps`.
 */
function wayBack(
  config: Config,
  { sourceCurrency, homeDebitMinor, usdcDeliveredMinor }: Payment,
): QuoteRequest {
  if (homeDebitMinor === null || usdcDeliveredMinor === null)
    throw new Error('a payment that is being refunded has no record of leg 1');
  return {
    sourceCurrency: 'USDC',
    destinationCurrency: sourceCurrency,
    destinationAmountMinor: homeDebitMinor,
    subsidy: { maxSourceAmountMinor: usdcDeliveredMinor, capBps: config.makeWholeCapBps },
  };
}
