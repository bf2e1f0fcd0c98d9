// The fresh quote that a second conversion, or the way back, is made with.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import { ProviderRefusal } from '../provider/errors.ts';
import type { ProviderQuote, QuoteRequest } from '../provider/port.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { findConversionToQuote } from '../sql/pix-payments.ts';
import type { RequotedLeg } from './committed-quotes.ts';

export type FreshQuote = {
  quote: ProviderQuote;
  route: { sourceAccountRef: string; destinationAccountRef: string };
};

type Payment = NonNullable<Awaited<ReturnType<typeof findConversionToQuote>>>;

/** @returns why there is none, where the provider has none or asks too much. */
export async function takeFreshQuote(
  app: App,
  effect: Entity<'Effect'>,
  leg: RequotedLeg,
): Promise<FreshQuote | { refused: string }> {
  const payment = await findConversionToQuote(app.db, { id: effect.subjectId, userId: effect.userId });
  if (!payment) throw new Error(`the payment ${effect.subjectId} is missing`);
  const quote = await quoteFor(app, payment, leg);
  if (quote === null) return { refused: 'no quote can be had' };
  // Never more than the first conversion delivered: the rest of that account is not this payment's.
  if (quote.sourceAmountMinor > (payment.usdcDeliveredMinor ?? 0))
    return { refused: 'the market asks too much' };
  const accounts = await accountRefs(app.db, effect.userId);
  const route = {
    sourceAccountRef: accounts.of('USDC'),
    destinationAccountRef: accounts.of(leg === 'leg2' ? 'BRL' : payment.sourceCurrency),
  };
  return { quote, route };
}

/** @returns null when the provider refuses to quote. */
async function quoteFor(app: App, payment: Payment, leg: RequotedLeg): Promise<ProviderQuote | null> {
  try {
    return await app.provider.createQuote(leg === 'leg2' ? towardsReais(payment) : wayBack(app, payment));
  } catch (error) {
    if (error instanceof ProviderRefusal) return null;
    throw error;
  }
}

/** Anchored on the target: the merchant receives exactly what was promised. */
const towardsReais = ({ amountBrlMinor }: Payment): QuoteRequest => ({
  sourceCurrency: 'USDC',
  destinationCurrency: 'BRL',
  destinationAmountMinor: amountBrlMinor,
});

/** Anchored on the exact debit: the user gets back what was paid, and the company bears a small move of the market. */
function wayBack(app: App, { sourceCurrency, homeDebitMinor, usdcDeliveredMinor }: Payment): QuoteRequest {
  if (homeDebitMinor === null || usdcDeliveredMinor === null)
    throw new Error('a payment on its way back that never was on its way');
  return {
    sourceCurrency: 'USDC',
    destinationCurrency: sourceCurrency,
    destinationAmountMinor: homeDebitMinor,
    subsidy: { maxSourceAmountMinor: usdcDeliveredMinor, capBps: app.config.makeWholeCapBps },
  };
}
