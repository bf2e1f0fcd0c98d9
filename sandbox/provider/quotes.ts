// Quotes: each fixes a rate for a minute and can be used by one transfer.

import type { SandboxContext } from '../context.ts';
import { quoteOutcome, returnQuoteOutcome } from '../magic.ts';
import { readAmount, writeAmount } from '../money.ts';
import { midRate, type Price, priceOfDestination, priceOfSource } from '../rates.ts';
import type { QuoteRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { created, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';
import { create } from './resources.ts';

const LOCK_MS = 60_000;
const BRIEF_LOCK_MS = 1000;

export const createQuote: Operation<Schemas['QuoteCreate']> = (context, call) => {
  const { body } = call;
  const { source_currency, destination_currency } = body;
  assertConsistent(body);
  const rate = midRate(source_currency, destination_currency);
  const { source, destination, margin, subsidy } = price(body, rate);
  const outcome =
    source_currency === 'BRL'
      ? returnQuoteOutcome(source_currency, body.max_source_amount)
      : quoteOutcome(destination_currency, writeAmount(destination, destination_currency));
  if (outcome === 'rejected') throw refuse('rejected', 'this amount cannot be quoted');
  const quote = create(
    context,
    'quotes',
    {
      uuid: newUuid(),
      source_currency,
      source_amount: source,
      destination_currency,
      destination_amount: destination,
      rate,
      markup_bps: body.markup_bps ?? 0,
      margin_amount: margin,
      subsidy_amount: subsidy,
      expires_at: context.now() + (outcome === 'brief' ? BRIEF_LOCK_MS : LOCK_MS),
    },
    { call },
  );
  return created(present(quote));
};

/**
 * Consumes the quote for a transfer.
 * @throws a refusal if the quote is unknown, used or expired.
 */
export function consumeQuote(context: SandboxContext, uuid: string, transferUuid: string): QuoteRow {
  const quote = context.store.get<QuoteRow>('select * from quotes where uuid = ?', uuid);
  if (!quote) throw refuse('not_found', 'no such quote');
  if (quote.transfer_uuid !== null) throw refuse('quote_consumed', 'the quote was used by another transfer');
  if (quote.expires_at <= context.now()) throw refuse('quote_expired', 'the quote has expired');
  context.store.run('update quotes set transfer_uuid = ? where uuid = ?', transferUuid, uuid);
  return quote;
}

function assertConsistent(body: Schemas['QuoteCreate']): void {
  const { source_currency, destination_currency, source_amount, destination_amount } = body;
  if (source_currency === destination_currency)
    throw refuse('invalid_request', 'the two currencies are the same');
  if ((source_amount === undefined) === (destination_amount === undefined))
    throw refuse('invalid_request', 'exactly one of source_amount and destination_amount is needed');
  if ((body.max_source_amount === undefined) !== (body.subsidy_cap_bps === undefined))
    throw refuse('invalid_request', 'max_source_amount and subsidy_cap_bps go together');
  if (body.max_source_amount !== undefined && destination_amount === undefined)
    throw refuse('invalid_request', 'max_source_amount needs a destination_amount');
}

function price(body: Schemas['QuoteCreate'], rate: string): Price {
  const { source_currency: source, destination_currency: destination } = body;
  const market = { source, destination, rate, markupBps: body.markup_bps ?? 0 };
  if (body.source_amount !== undefined)
    return priceOfSource(market, readAmount(body.source_amount, source, 'source_amount'));
  const amount = readAmount(body.destination_amount ?? '', destination, 'destination_amount');
  if (body.max_source_amount === undefined) return priceOfDestination(market, amount);
  const max = readAmount(body.max_source_amount, source, 'max_source_amount');
  return priceOfDestination(market, amount, { max, capBps: body.subsidy_cap_bps ?? 0 });
}

function present(row: QuoteRow): Schemas['Quote'] {
  return {
    uuid: row.uuid,
    source_currency: row.source_currency,
    source_amount: writeAmount(row.source_amount, row.source_currency),
    destination_currency: row.destination_currency,
    destination_amount: writeAmount(row.destination_amount, row.destination_currency),
    rate: row.rate,
    markup_bps: row.markup_bps,
    subsidy_amount: writeAmount(row.subsidy_amount, row.source_currency),
    expires_at: isoTime(row.expires_at),
  };
}
