// Internal transfers: conversions at a quote. The source is debited immediately, and the destination is credited at the end.

import type { SandboxContext } from '../context.ts';
import { converting, exchange, margin, post, subsidy } from '../ledger.ts';
import { type TransferOutcome, transferOutcome } from '../magic.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { AccountRow, QuoteRow, TransferRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { assertActive, assertCovers, currencyOf } from './accounts.ts';
import type { Operation } from './handler.ts';
import { move } from './movements.ts';
import { newUuid } from './new-uuid.ts';
import { created, idOf, ok, type Schemas } from './operation.ts';
import { consumeQuote } from './quotes.ts';
import { refuse } from './refusal.ts';
import { change, contentOf, create, existing, listed, repeated, setCallbackUrl } from './resources.ts';

type Ending = 'COMPLETED' | 'FAILED';

export const createInternalTransfer: Operation<Schemas['InternalTransferCreate']> = (context, call) => {
  const { body } = call;
  const content = contentOf(body);
  const earlier = repeated(context, 'transfers', body.origin_id, content);
  if (earlier) return ok(presentTransfer(context, earlier));
  const uuid = newUuid();
  const source = existing(context, 'accounts', body.source_account_uuid);
  const destination = existing(context, 'accounts', body.destination_account_uuid);
  const quote = consumeQuote(context, body.quote_uuid.toLowerCase(), uuid);
  assertFits(source, destination, quote);
  const magic = magicOutcome(quote);
  if (magic === 'rejected') throw refuse('rejected', 'this conversion is not done');
  const outcome = context.seams.outcomeDecided('transfers', magic, quote.destination_currency);
  const row = create(
    context,
    'transfers',
    {
      uuid,
      origin_id: body.origin_id,
      content,
      quote_uuid: quote.uuid,
      status: 'PENDING',
      source_account_uuid: source.uuid,
      destination_account_uuid: destination.uuid,
      source_amount: quote.source_amount,
      destination_amount: delivered(quote, outcome),
      rate: quote.rate,
      callback_url: body.callback_url ?? null,
      updated_at: context.now(),
    },
    { call },
  );
  assertCovers(context, source, row.source_amount);
  move(context, source, 'INTERNAL_TRANSFER', -row.source_amount, converting(source.currency), row);
  return created(presentTransfer(context, plan(context, row, outcome)));
};

export const getInternalTransfer: Operation = (context, call) =>
  ok(presentTransfer(context, existing(context, 'transfers', idOf(call))));

export const findInternalTransfers: Operation = (context, call) =>
  listed(context, call, 'transfers', presentTransfer);

export const updateInternalTransfer: Operation<Schemas['CallbackUpdate']> = (context, call) =>
  ok(presentTransfer(context, setCallbackUrl(context, 'transfers', idOf(call), call.body)));

/**
 * Ends a pending transfer and sends the callback, unless the reply of its creation already reports the end.
 * @returns the transfer afterwards.
 */
export function settleTransfer(
  context: SandboxContext,
  uuid: string,
  { status }: { status: Ending },
  quietly = false,
): TransferRow {
  const row = existing(context, 'transfers', uuid);
  if (row.status !== 'PENDING') return row;
  const failure_reason = status === 'FAILED' ? 'the market closed' : null;
  const ended = change(context, 'transfers', row, { status, failure_reason });
  if (status === 'COMPLETED') deliver(context, row);
  else giveBack(context, row);
  if (!quietly)
    enqueueCallback(
      context,
      'internal_transfer.updated',
      'transfers',
      ended,
      presentTransfer(context, ended),
    );
  return ended;
}

/**
 * Ends a transfer as a tester decides, instead of as planned.
 * @throws 409 if it has already ended, 404 if there is none.
 */
export function endTransfer(
  context: SandboxContext,
  uuid: string,
  status: Ending,
): Schemas['InternalTransfer'] {
  const row = existing(context, 'transfers', uuid);
  if (row.status !== 'PENDING')
    throw refuse('rejected', `the conversion is ${row.status}: that is final`, 409);
  cancelPlanned(context, uuid);
  return presentTransfer(context, settleTransfer(context, uuid, { status }));
}

const magicOutcome = (quote: QuoteRow): TransferOutcome =>
  transferOutcome(
    { currency: quote.source_currency, amount: writeAmount(quote.source_amount, quote.source_currency) },
    {
      currency: quote.destination_currency,
      amount: writeAmount(quote.destination_amount, quote.destination_currency),
    },
  );

/** The amount credited at the end, in minor units. The exchange keeps or pays the difference to the quote. */
function delivered({ destination_amount: quoted }: QuoteRow, outcome: TransferOutcome): number {
  if (outcome === 'short' && quoted > 1) return quoted - 1;
  return outcome === 'short' || outcome === 'over' ? quoted + 1 : quoted;
}

/** Plans the end of a new transfer, or ends it if its outcome is instant. Returns the transfer afterwards. */
function plan(context: SandboxContext, row: TransferRow, outcome: TransferOutcome): TransferRow {
  const { settleMs, slowMs } = context.options;
  const status = outcome === 'fails' || outcome === 'instantFailure' ? 'FAILED' : 'COMPLETED';
  if (outcome === 'instant' || outcome === 'instantFailure')
    return settleTransfer(context, row.uuid, { status }, true);
  schedule(context, outcome === 'slow' ? slowMs : settleMs, 'transfer', row.uuid, { status });
  return row;
}

/**
 * Posts the delivery: the desk receives the source currency, the company receives its margin and pays its subsidy, and the customer
 * is credited.
 */
function deliver(context: SandboxContext, row: TransferRow): void {
  const quote = context.store.get<QuoteRow>('select * from quotes where uuid = ?', row.quote_uuid);
  const destination = existing(context, 'accounts', row.destination_account_uuid);
  if (!quote) throw new Error(`transfer ${row.uuid} has no quote`);
  const { source_currency: currency, margin_amount, subsidy_amount } = quote;
  post(context, 'CONVERSION', row.origin_id, [
    { account: converting(currency), currency, amount: -row.source_amount },
    { account: subsidy(currency), currency, amount: -subsidy_amount },
    { account: margin(currency), currency, amount: margin_amount },
    { account: exchange(currency), currency, amount: row.source_amount + subsidy_amount - margin_amount },
  ]);
  const desk = exchange(destination.currency);
  move(context, destination, 'INTERNAL_TRANSFER', row.destination_amount, desk, row);
}

function giveBack(context: SandboxContext, row: TransferRow): void {
  const source = existing(context, 'accounts', row.source_account_uuid);
  move(context, source, 'INTERNAL_TRANSFER', row.source_amount, converting(source.currency), row);
}

function assertFits(source: AccountRow, destination: AccountRow, quote: QuoteRow): void {
  if (source.currency !== quote.source_currency || destination.currency !== quote.destination_currency)
    throw refuse('invalid_request', "the accounts do not have the quote's currencies");
  if (source.owner_uuid !== destination.owner_uuid)
    throw refuse('rejected', 'the accounts have different owners');
  assertActive(source);
  assertActive(destination);
}

export function presentTransfer(context: SandboxContext, row: TransferRow): Schemas['InternalTransfer'] {
  return {
    uuid: row.uuid,
    origin_id: row.origin_id,
    quote_uuid: row.quote_uuid,
    status: row.status,
    source_account_uuid: row.source_account_uuid,
    destination_account_uuid: row.destination_account_uuid,
    source_amount: writeAmount(row.source_amount, currencyOf(context, row.source_account_uuid)),
    destination_amount: writeAmount(
      row.destination_amount,
      currencyOf(context, row.destination_account_uuid),
    ),
    rate: row.rate,
    failure_reason: row.failure_reason,
    updated_at: isoTime(row.updated_at),
  };
}
