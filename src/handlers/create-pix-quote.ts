// POST /pix/quote: the price of an amount of reais in the user's own currency, locked for a minute.

import { keepQuoteOfUser } from '../commands/keep-pix-quote.ts';
import { quoteIdText } from '../domain/ids.ts';
import { brlMinorFromNumber } from '../domain/money.ts';
import { rateNumber } from '../domain/rates.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { priceDirect } from '../pricing/direct.ts';
import { priceTwoHop } from '../pricing/two-hop.ts';
import { type Handler, ok } from './operation.ts';

export const createPixQuote: Handler<'createPixQuote'> = async ({ user, body }, app) => {
  const amountBrlMinor = brlMinorFromNumber(body.amountBrl);
  if (amountBrlMinor === null)
    throw invalid('/body/amountBrl', 'must be positive, with at most two decimals');
  const sourceCurrency = user.home_currency;
  if (sourceCurrency === null) throw new Refusal('home_currency_required');

  const { serviceSpreadBps, usdcAccountsEnabled } = app.config;
  const price = await (usdcAccountsEnabled ? priceTwoHop : priceDirect)(app.provider, {
    amountBrlMinor,
    sourceCurrency,
    serviceSpreadBps,
  });
  const { id, expiresAt } = await keepQuoteOfUser(app.db, {
    user_id: user.id,
    flow: price.flow,
    amount_brl_minor: amountBrlMinor,
    source_currency: sourceCurrency,
    source_amount_minor: price.sourceAmountMinor,
    usdc_quoted_minor: price.usdcQuotedMinor,
    rate: price.rate,
    service_spread_bps: serviceSpreadBps,
    provider_quote_id: price.providerQuoteId,
    provider_life_ms: price.lifeMs,
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
