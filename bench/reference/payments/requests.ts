// The three requests of a payer: a price, its confirmation, and the current state of the payment.
import type { PoolClient } from 'pg';
import { newId } from '../../../src/domain/ids.ts';
import { feeOf } from '../fee.ts';
import { decimalOf, minorOf } from '../provider.ts';
import { inTransaction, query, type Row } from '../query.ts';
import { inBackground, startTransfer } from './progress.ts';
import { type Reference, Refused } from './reference.ts';

const SPREAD_BPS = 100;
const LOCKED_MS = 60_000;

export async function quote(
  { db, provider }: Reference,
  userId: string,
  { amountBrl }: { amountBrl: number },
) {
  const users = await query(db, 'select home_currency from users where id = $1', [userId]);
  const home = users.rows[0]?.['home_currency'] as 'GBP' | 'EUR';
  const offer = await provider.createQuote({
    source_currency: home,
    destination_currency: 'BRL',
    destination_amount: amountBrl.toFixed(2),
    markup_bps: SPREAD_BPS,
  });
  const [id, now] = [newId(), Date.now()];
  const expiresAt = new Date(Math.min(now + LOCKED_MS, Date.parse(offer.expires_at)));
  const sourceAmount = minorOf(offer.source_amount);
  await query(
    db,
    `insert into quotes (id, user_id, amount_brl_minor, source_currency, source_amount_minor, rate, provider_quote_id,
       expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      userId,
      minorOf(amountBrl.toFixed(2)),
      home,
      sourceAmount,
      offer.rate,
      offer.uuid,
      expiresAt,
      new Date(now),
    ],
  );
  const rate = Number(offer.rate);
  const amountBrlMinor = minorOf(amountBrl.toFixed(2));
  const figures = { exchange_rate: rate.toFixed(8), amount_brl_minor: amountBrlMinor };
  return {
    quoteId: id,
    rate,
    sourceCurrency: home,
    sourceAmount,
    feeAmount: feeOf({ ...figures, source_amount_minor: sourceAmount }),
    effectiveRate: Number((amountBrlMinor / sourceAmount).toFixed(8)),
    serviceSpreadBps: SPREAD_BPS,
    expiresAt,
  };
}

export type Confirmation = { quoteId: string; pixKey: string; pixKeyType: string; recipientName?: string };

/** The payment is committed before it is answered. Then its transfer is requested from memory. */
export async function pay(reference: Reference, userId: string, confirmation: Confirmation) {
  const { db, provider } = reference;
  const quotes = await query(
    db,
    `select quotes.*, home.provider_account_id as home_account, brl.provider_account_id as brl_account
     from quotes
     join accounts home on home.user_id = quotes.user_id and home.currency = quotes.source_currency
     join accounts brl on brl.user_id = quotes.user_id and brl.currency = 'BRL'
     where quotes.user_id = $1 and quotes.id = $2`,
    [userId, confirmation.quoteId],
  );
  const [quoted] = quotes.rows;
  if (!quoted) throw new Refused(404, 'not_found');
  if ((quoted['expires_at'] as Date).getTime() <= Date.now()) throw new Refused(409, 'quote_expired');
  const balanceMinor = await provider.readBalanceMinor(String(quoted['home_account']));
  const [id, transactionId] = [newId(), newId()];
  await inTransaction(db, async (client) => {
    await assertCovered(client, userId, balanceMinor, Number(quoted['source_amount_minor']));
    await insertPayment(client, { id, transactionId, userId, quoted, confirmation });
  });
  inBackground(
    startTransfer(reference, {
      id,
      quoteRef: String(quoted['provider_quote_id']),
      sourceAccountRef: String(quoted['home_account']),
      destinationAccountRef: String(quoted['brl_account']),
    }),
  );
  return { transactionId, pixPaymentId: id, status: 'converting' };
}

/** Checks the balance under the user's lock, so that two payments cannot use the same money. */
async function assertCovered(client: PoolClient, userId: string, balanceMinor: number, amountMinor: number) {
  await query(client, 'select id from users where id = $1 for no key update', [userId]);
  const reserved = await query(
    client,
    `select sum(source_amount_minor) as minor from payments
     where user_id = $1 and state = 'converting' and transfer_id is null`,
    [userId],
  );
  if (balanceMinor - Number(reserved.rows[0]?.['minor'] ?? 0) < amountMinor)
    throw new Refused(422, 'insufficient_funds');
}

type NewPayment = {
  id: string;
  transactionId: string;
  userId: string;
  quoted: Row;
  confirmation: Confirmation;
};

/** @throws Refused if the quote was used before. */
async function insertPayment(client: PoolClient, payment: NewPayment): Promise<void> {
  const { id, transactionId, userId, quoted, confirmation } = payment;
  const now = new Date();
  const { source_currency, source_amount_minor, amount_brl_minor, rate } = quoted;
  await query(
    client,
    `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, dest_currency,
       dest_amount_minor, fx_rate, created_at)
     values ($1, $2, 'payment', 'pending', $3, $4, 'BRL', $5, $6, $7)`,
    [transactionId, userId, source_currency, source_amount_minor, amount_brl_minor, rate, now],
  );
  const { quoteId, pixKey, pixKeyType, recipientName = null } = confirmation;
  const inserted = await query(
    client,
    `insert into payments (id, user_id, transaction_id, quote_id, state, source_currency, source_amount_minor,
       amount_brl_minor, exchange_rate, pix_key, pix_key_type, recipient_name, expires_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'converting', $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
     on conflict (quote_id) do nothing`,
    [
      id,
      userId,
      transactionId,
      quoteId,
      source_currency,
      source_amount_minor,
      amount_brl_minor,
      rate,
      pixKey,
      pixKeyType,
      recipientName,
      quoted['expires_at'],
      now,
    ],
  );
  if (inserted.rowCount === 0) throw new Refused(409, 'quote_already_used');
}

export async function showPayment({ db }: Reference, userId: string, id: string) {
  const { rows } = await query(db, 'select * from payments where user_id = $1 and id = $2', [userId, id]);
  const [row] = rows;
  if (!row) throw new Refused(404, 'not_found');
  return {
    id: row['id'],
    transactionId: row['transaction_id'],
    status: row['state'],
    amountBrl: decimalOf(Number(row['amount_brl_minor'])),
    sourceCurrency: row['source_currency'],
    sourceAmount: Number(row['source_amount_minor']),
    feeAmount: feeOf(row),
    exchangeRate: row['exchange_rate'],
    pixKey: row['pix_key'],
    pixKeyType: row['pix_key_type'],
    recipientName: row['recipient_name'],
    voucherId: row['voucher_id'],
    endToEndId: row['end_to_end_id'],
    failureReason: row['failure'],
    failureCode: row['failure'],
    settlement: null,
    expiresAt: row['expires_at'],
    createdAt: row['created_at'],
    updatedAt: row['updated_at'],
  };
}
