// Internal transfers: conversions at a quote. The source is debited immediately, and the destination is credited at the end.
import { deliveredAmount, transferOutcomeWithFaults } from '../fault-injection/business.ts';
import { debitedInstead, deliveredInstead } from '../faults/amounts.ts';
import { changedAt, createdAt } from '../faults/changes.ts';
import { shownAll, shownOne } from '../faults/reads.ts';
import { maybeNameOtherwise } from '../faults/references.ts';
import { maybeMakeUnreadable, misreportTransfer, reported } from '../faults/reports.ts';
import { recordTwin } from '../faults/twins.ts';
import { isFindable } from '../faults/vanished.ts';
import { converting, exchange, margin, post, subsidy } from '../ledger.ts';
import { type TransferOutcome, transferOutcome } from '../magic.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { AccountRow, QuoteRow, TransferRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { account, assertActive, assertCovers, covers, currencyOf } from './accounts.ts';
import { setCallbackUrl } from './callbacks.ts';
import { contentOf, judgeHandle } from './handles.ts';
import { move } from './movements.ts';
import { newUuid } from './new-uuid.ts';
import { type Call, created, idOf, type Operation, ok, type Schemas } from './operation.ts';
import { pageOf, positionOf } from './pages.ts';
import { consumeQuote, quoteOfTwin } from './quotes.ts';
import { refuse } from './refusal.ts';
import { rowsInWindow } from './windows.ts';

type Ending = 'COMPLETED' | 'FAILED';

export const createInternalTransfer: Operation<Schemas['InternalTransferCreate']> = (world, call) => {
  const { body } = call;
  const content = contentOf(body);
  const { known, twinOf } = judgeHandle(world, call, byHandle(world, body.origin_id)[0], content);
  if (known) return ok(present(world, known));
  const uuid = newUuid();
  const source = account(world, body.source_account_uuid.toLowerCase());
  const destination = account(world, body.destination_account_uuid.toLowerCase());
  const quote = twinOf
    ? quoteOfTwin(world, twinOf.quote_uuid, call.twin?.isForced === true)
    : consumeQuote(world, body.quote_uuid.toLowerCase(), uuid);
  assertFits(source, destination, quote);
  const magic = transferOutcome(
    { currency: quote.source_currency, amount: writeAmount(quote.source_amount, quote.source_currency) },
    {
      currency: quote.destination_currency,
      amount: writeAmount(quote.destination_amount, quote.destination_currency),
    },
  );
  if (magic === 'rejected') throw refuse('rejected', 'this conversion is not done');
  assertCovers(world, source, quote.source_amount);

  const outcome = transferOutcomeWithFaults(world, magic);
  const { source_currency, destination_currency: currency } = quote;
  const quoted = { uuid, amount: quote.source_amount, currency: source_currency };
  const debit = debitedInstead(world, call, quoted, (amount) => covers(world, source, amount));
  if (debit !== quote.source_amount) assertCovers(world, source, debit);
  const arrives = deliveredInstead(world, call, { uuid, amount: delivered(world, quote, outcome), currency });
  const updatedAt = createdAt(world, call, uuid);
  const row = insert(world, body, content, quote, { uuid, debit, arrives, updatedAt });
  misreportTransfer(world, call, { uuid, delivered: arrives, currency });
  maybeMakeUnreadable(world, call, uuid);
  maybeNameOtherwise(world, call, uuid);
  move(world, source, 'INTERNAL_TRANSFER', -debit, converting(source.currency), body.origin_id, uuid);
  const isEnded = plan(world, uuid, outcome);
  if (twinOf) recordTwin(world, call, uuid, twinOf.uuid);
  return created(present(world, isEnded ? transfer(world, uuid) : row));
};

export const getInternalTransfer: Operation = (world, call) =>
  ok(present(world, shownOne(world, call, transfer(world, idOf(call)))));

export const findInternalTransfers: Operation = (world, call) => {
  const { origin_id, after, limit = 100 } = call.query;
  const isShown = (row: TransferRow) => isFindable(world, row);
  if (origin_id !== undefined) {
    const rows = shownAll(world, call, byHandle(world, origin_id)).filter(isShown);
    return ok({ results: rows.map((row) => present(world, row)), next: null });
  }
  if (call.query.updated_from !== undefined || call.query.updated_to !== undefined) {
    const listed = rowsInWindow<TransferRow>(world, call, { table: 'transfers', time: 'updated_at' });
    return ok(pageOf(shownAll(world, call, listed), limit, isShown, (row) => present(world, row)));
  }
  const position = positionOf(world, 'select seq from transfers where uuid = ?', after);
  const sql = 'select * from transfers where seq > ? order by seq limit ?';
  const rows = shownAll(world, call, world.store.all<TransferRow>(sql, position, limit + 1));
  return ok(pageOf(rows, limit, isShown, (row) => present(world, row)));
};

export const updateInternalTransfer: Operation<Schemas['CallbackUpdate']> = (world, call) => {
  setCallbackUrl(world, 'transfers', transfer(world, idOf(call)), call.body);
  return getInternalTransfer(world, call as Call<never>);
};

/** Ends a pending transfer and sends the callback, unless the reply of its creation already reports the end. */
export function settleTransfer(
  world: World,
  uuid: string,
  { status }: { status: Ending },
  quietly = false,
): void {
  const row = transfer(world, uuid);
  if (row.status !== 'PENDING') return;
  const stamp = changedAt(world, row);
  const reason = status === 'FAILED' ? 'the market closed' : null;
  const sql = 'update transfers set status = ?, failure_reason = ?, updated_at = ? where uuid = ?';
  world.store.run(sql, status, reason, stamp, uuid);
  if (status === 'COMPLETED') deliver(world, row);
  else giveBack(world, row);
  if (quietly) return;
  const to = { resource: 'transfers' as const, uuid, callback_url: row.callback_url };
  const ended = { ...row, status, failure_reason: reason, updated_at: stamp };
  enqueueCallback(world, 'internal_transfer.updated', to, present(world, ended), stamp);
}

/**
 * Ends a transfer as a tester decides, instead of as planned.
 * @throws 409 if it has already ended, 404 if there is none.
 */
export function endTransfer(world: World, uuid: string, status: Ending): Schemas['InternalTransfer'] {
  const row = transfer(world, uuid);
  if (row.status !== 'PENDING')
    throw refuse('rejected', `the conversion is ${row.status}: that is final`, 409);
  cancelPlanned(world, uuid);
  settleTransfer(world, uuid, { status });
  return present(world, transfer(world, uuid));
}

/** The amount credited at the end, in minor units. The exchange keeps or pays the difference to the quote. */
function delivered(world: World, quote: QuoteRow, outcome: TransferOutcome): number {
  const { destination_amount, destination_currency } = quote;
  if (outcome === 'short') return destination_amount - 1;
  if (outcome !== 'completes') return destination_amount;
  return deliveredAmount(world, destination_amount, destination_currency);
}

/** @returns whether it has already ended. */
function plan(world: World, uuid: string, outcome: Exclude<TransferOutcome, 'rejected'>): boolean {
  const { settleMs, slowMs } = world.options;
  const status = outcome === 'fails' || outcome === 'instantFailure' ? 'FAILED' : 'COMPLETED';
  const isInstant = outcome === 'instant' || outcome === 'instantFailure';
  if (isInstant) settleTransfer(world, uuid, { status }, true);
  else schedule(world, outcome === 'slow' ? slowMs : settleMs, 'transfer', uuid, { status });
  return isInstant;
}

/**
 * Posts the delivery: the desk receives the source currency, the company receives its margin and pays its subsidy, and the customer
 * is credited.
 */
function deliver(world: World, row: TransferRow): void {
  const quote = world.store.get<QuoteRow>('select * from quotes where uuid = ?', row.quote_uuid);
  const destination = account(world, row.destination_account_uuid);
  if (!quote) throw new Error(`transfer ${row.uuid} has no quote`);
  const { source_currency: currency, margin_amount, subsidy_amount } = quote;
  post(world, 'CONVERSION', row.origin_id, [
    { account: converting(currency), currency, amount: -row.source_amount },
    { account: subsidy(currency), currency, amount: -subsidy_amount },
    { account: margin(currency), currency, amount: margin_amount },
    { account: exchange(currency), currency, amount: row.source_amount + subsidy_amount - margin_amount },
  ]);
  const desk = exchange(destination.currency);
  move(world, destination, 'INTERNAL_TRANSFER', row.destination_amount, desk, row.origin_id, row.uuid);
}

function giveBack(world: World, row: TransferRow): void {
  const source = account(world, row.source_account_uuid);
  move(
    world,
    source,
    'INTERNAL_TRANSFER',
    row.source_amount,
    converting(source.currency),
    row.origin_id,
    row.uuid,
  );
}

function assertFits(source: AccountRow, destination: AccountRow, quote: QuoteRow): void {
  if (source.currency !== quote.source_currency || destination.currency !== quote.destination_currency)
    throw refuse('invalid_request', "the accounts do not have the quote's currencies");
  if (source.owner_uuid !== destination.owner_uuid)
    throw refuse('rejected', 'the accounts have different owners');
  assertActive(source);
  assertActive(destination);
}

function insert(
  world: World,
  body: Schemas['InternalTransferCreate'],
  content: string,
  quote: QuoteRow,
  { uuid, debit, arrives, updatedAt }: { uuid: string; debit: number; arrives: number; updatedAt: number },
): TransferRow {
  return world.store.written<TransferRow>(
    `insert into transfers (uuid, origin_id, content, quote_uuid, status, source_account_uuid,
       destination_account_uuid, source_amount, destination_amount, rate, callback_url, updated_at)
     values (?, ?, ?, ?, 'PENDING', ?, ?, ?, ?, ?, ?, ?) returning *`,
    uuid,
    body.origin_id,
    content,
    quote.uuid,
    body.source_account_uuid.toLowerCase(),
    body.destination_account_uuid.toLowerCase(),
    debit,
    arrives,
    quote.rate,
    body.callback_url ?? null,
    updatedAt,
  );
}

/**
 * Returns the transfer.
 * @throws 404 if there is none.
 */
export function transfer(world: World, uuid: string): TransferRow {
  const row = world.store.get<TransferRow>('select * from transfers where uuid = ?', uuid);
  if (!row) throw refuse('not_found', 'no such transfer');
  return row;
}

/** Returns the transfers under a handle. The first one is the original; every other one is its twin. */
function byHandle(world: World, handle: string): TransferRow[] {
  return world.store.all<TransferRow>('select * from transfers where origin_id = ? order by seq', handle);
}

function present(world: World, row: TransferRow): Schemas['InternalTransfer'] {
  const source = currencyOf(world, row.source_account_uuid);
  const destination = currencyOf(world, row.destination_account_uuid);
  return reported(world, {
    uuid: row.uuid,
    origin_id: row.origin_id,
    quote_uuid: row.quote_uuid,
    status: row.status,
    source_account_uuid: row.source_account_uuid,
    destination_account_uuid: row.destination_account_uuid,
    source_amount: writeAmount(row.source_amount, source),
    destination_amount: writeAmount(row.destination_amount, destination),
    rate: row.rate,
    failure_reason: row.failure_reason,
    updated_at: isoTime(row.updated_at),
  });
}
