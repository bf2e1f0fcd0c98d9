// POST /pix/quote: returns the price of an amount in reais in the user's own currency, locked for a minute.

import { keepQuoteOfUser } from './keep-quote.ts';
import { quoteIdText } from '../domain/ids.ts';
import { brlMinorFromNumber } from '../domain/money.ts';
import { rateNumber } from '../domain/rates.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { priceDirect } from './pricing/direct.ts';
import { priceTwoHop } from './pricing/two-hop.ts';
import { type Handler, ok } from '../api/operation.ts';

export const createPixQuote: Handler<'createPixQuote'> = async ({ user, body }, app) => {
  const amountBrlMinor = brlMinorFromNumber(body.amountBrl);
  if (amountBrlMinor === null)
    throw invalid('/body/amountBrl', 'must be positive, with at most two decimals');
  const sourceCurrency = user.homeCurrency;
  if (sourceCurrency === null) throw new Refusal('home_currency_required');

  const { serviceSpreadBps, usdcAccountsEnabled } = app.config;
  const price = await (usdcAccountsEnabled ? priceTwoHop : priceDirect)(app.provider, {
    amountBrlMinor,
    sourceCurrency,
    serviceSpreadBps,
  });
  const { id, expiresAt } = await keepQuoteOfUser(app.db, {
    userId: user.id,
    flow: price.flow,
    amountBrlMinor,
    sourceCurrency,
    sourceAmountMinor: price.sourceAmountMinor,
    usdcQuotedMinor: price.usdcQuotedMinor,
    rate: price.rate,
    serviceSpreadBps,
    providerQuoteId: price.providerQuoteId,
    providerLifeMs: price.lifeMs,
  });
  return ok({
    quoteId: quoteIdText(id),
    rate: rateNumber(price.rate),
    sourceCurrency,
    sourceAmount: price.sourceAmountMinor,
    serviceSpreadBps,
    expiresAt: expiresAt.toISOString(),
  });
};
