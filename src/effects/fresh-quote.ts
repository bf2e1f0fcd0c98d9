// Requests a fresh quote for leg 2, the reverse leg or the return of a payment.

import { required } from '../domain/required.ts';
import { accountRefs } from '../ledger/account-refs.ts';
import { currenciesOf } from '../lifecycle/legs.ts';
import { ProviderRefusal } from '../provider/errors.ts';
import type { Provider, ProviderQuote, QuoteRequest } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { findConversionToQuote } from '../tables/pix-payments/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { RequotedLeg } from './committed-quotes.ts';

export type FreshQuote = {
  quote: ProviderQuote;
  route: { sourceAccountRef: string; destinationAccountRef: string };
};

/** The cap of the subsidy, in basis points, that a reverse leg may cost the company. */
type CapConfig = { makeWholeCapBps: number };
type Payment = NonNullable<Awaited<ReturnType<typeof findConversionToQuote>>>;

/**
 * Requests a fresh quote, with the accounts that the conversion uses.
 * @returns `refused`, with the reason, if the provider refuses to quote or the price is more than the payment has to convert.
 * @throws OutcomeUnknown if the provider gives no usable answer.
 */
export async function takeFreshQuote(
  { db, provider, config }: { db: Db; provider: Provider; config: CapConfig },
  effect: Entity<'Effect'>,
  leg: RequotedLeg,
): Promise<FreshQuote | { refused: string }> {
  const { subjectId: id, userId } = effect;
  const payment = required(await findConversionToQuote(db, { id, userId }), `the payment ${id}`);
  const quote = await quoteFor({ provider, config }, payment, leg);
  if (quote === null) return { refused: 'no quote can be had' };
  // Spend at most what this payment has: the rest of the account does not belong to it.
  if (quote.sourceAmountMinor > heldMinor(payment, leg)) return { refused: 'the market asks too much' };
  return { quote, route: await routeOf(db, effect, leg, payment) };
}

export async function routeOf(
  db: Db,
  { userId }: Pick<Entity<'Effect'>, 'userId'>,
  leg: RequotedLeg,
  { sourceCurrency }: Pick<Payment, 'sourceCurrency'>,
): Promise<FreshQuote['route']> {
  const accounts = await accountRefs(db, userId);
  const [source, destination] = currenciesOf(leg, sourceCurrency);
  return { sourceAccountRef: accounts.of(source), destinationAccountRef: accounts.of(destination) };
}

/** The amount that the payment has to convert, in minor units of the leg's source currency. */
const heldMinor = ({ usdcDeliveredMinor, amountBrlMinor }: Payment, leg: RequotedLeg): number =>
  leg === 'return' ? amountBrlMinor : (usdcDeliveredMinor ?? 0);

/** Returns null if the provider refuses to quote. */
async function quoteFor(
  { provider, config }: { provider: Provider; config: CapConfig },
  payment: Payment,
  leg: RequotedLeg,
): Promise<ProviderQuote | null> {
  try {
    return await provider.createQuote(requests[leg](config, payment));
  } catch (error) {
    if (error instanceof ProviderRefusal) return null;
    throw error;
  }
}

type RequestOf = (config: CapConfig, payment: Payment) => QuoteRequest;

/** The quote request of leg 2. It fixes the destination amount, so that the merchant receives exactly the promised BRL. */
const towardsReais: RequestOf = (_config, { amountBrlMinor }) => ({
  sourceCurrency: 'USDC',
  destinationCurrency: 'BRL',
  destinationAmountMinor: amountBrlMinor,
});

/**
 * The quote request of the reverse leg. It fixes the destination amount to the exact debit, so that the user gets back what was
 * debited. The company pays for a small market move, up to `makeWholeCapBps`.
 */
const wayBack: RequestOf = (config, { sourceCurrency, homeDebitMinor, usdcDeliveredMinor }) => {
  if (homeDebitMinor === null || usdcDeliveredMinor === null)
    throw new Error('a payment that is being refunded has no record of leg 1');
  return {
    sourceCurrency: 'USDC',
    destinationCurrency: sourceCurrency,
    destinationAmountMinor: homeDebitMinor,
    subsidy: { maxSourceAmountMinor: usdcDeliveredMinor, capBps: config.makeWholeCapBps },
  };
};

/** The settings of the cap of an operator's return: basis points of the market's price, and an amount in centavos. */
type ReturnCapConfig = { returnCapBps: number; returnCapMinMinor: number };

/**
 * Returns the cap of a return in basis points of the market's price: the larger one of the two configured caps. The market's price is
 * the payment's BRL and what the company bears, so the amount is compared with their sum.
 */
export const returnCapBps = (
  { returnCapBps: bps, returnCapMinMinor: minMinor }: ReturnCapConfig,
  { amountBrlMinor }: Pick<Payment, 'amountBrlMinor'>,
): number => Math.max(bps, Math.ceil((minMinor * 10_000) / (amountBrlMinor + minMinor)));

/**
 * The quote request of a return. It also fixes the destination amount to the exact debit. The company pays for what that costs above
 * the payment's BRL, up to the cap that the operator's command recorded.
 */
export const returnQuoteRequest = ({
  sourceCurrency,
  homeDebitMinor,
  amountBrlMinor,
  capBps,
}: Pick<Payment, 'sourceCurrency' | 'amountBrlMinor'> & {
  homeDebitMinor: number;
  capBps: number;
}) =>
  ({
    sourceCurrency: 'BRL' as const,
    destinationCurrency: sourceCurrency,
    destinationAmountMinor: homeDebitMinor,
    subsidy: { maxSourceAmountMinor: amountBrlMinor, capBps },
  }) satisfies QuoteRequest;

const backFromReais: RequestOf = (_config, payment) => {
  const { homeDebitMinor, returnCapBps: capBps } = payment;
  if (homeDebitMinor === null || capBps === null)
    throw new Error('a payment that is being returned has no debit or no cap');
  return returnQuoteRequest({ ...payment, homeDebitMinor, capBps });
};

const requests: Record<RequotedLeg, RequestOf> = {
  leg2: towardsReais,
  reverse: wayBack,
  return: backFromReais,
};
