// The five requests, written by hand with `pg` alone: the same rows, the same JSON, and none of the service's checks. Both
// references use them. Values that the service seals are plain text in the rows of the references' users.
import { createHash, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { BankDetails } from '../../src/domain/bank-details.ts';
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { newId } from '../../src/domain/ids.ts';
import { maskBankDetails, maskPixKey } from '../../src/domain/masking.ts';
import type { PixKeyType } from '../../src/domain/pix-key.ts';
import { feeOf } from './fee.ts';
import { createProvider, providerSettings } from './provider.ts';
import { inTransaction, query, type Row } from './query.ts';

const { readBalanceMinor } = createProvider(providerSettings(process.env));

export async function listTransactions(db: Pool, userId: string, limit: number) {
  const { rows } = await query(
    db,
    `select t.id, t.type, t.status, t.source_currency, t.source_amount_minor, t.dest_currency, t.dest_amount_minor, t.fx_rate,
            t.provider, t.failure, t.created_at, t.completed_at, p.id as pix_payment_id,
            case when p.state = 'payout_failed' or p.state = 'manual_review' and p.settled_at is null
                 then p.home_debit_minor end as held_amount_minor,
            p.returned_brl_minor, p.pix_key_type, p.pix_key_sealed, p.recipient_name_sealed, w.destination_sealed, t.source_reference_sealed
     from transactions t
     left join lateral (select * from pix_payments where transaction_id = t.id limit 1) p on true
     left join lateral (select * from withdraws where id = t.id limit 1) w on true
     where t.user_id = $1 order by t.created_at desc, t.id desc limit $2`,
    [userId, limit],
  );
  return rows.map((row) => ({
    id: row['id'],
    type: row['type'],
    status: row['status'],
    sourceCurrency: row['source_currency'],
    sourceAmount: Number(row['source_amount_minor']),
    heldAmount: row['held_amount_minor'] === null ? null : Number(row['held_amount_minor']),
    destCurrency: row['dest_currency'],
    destAmount: row['dest_amount_minor'] === null ? null : Number(row['dest_amount_minor']),
    returnedAmountBrl: decimalOf(row['returned_brl_minor']),
    fxRate: row['fx_rate'] === null ? null : Number(row['fx_rate']),
    counterparty: counterpartyOf(row),
    provider: row['provider'],
    failureReason: sentenceOf(row),
    failureCode: row['failure'],
    pixPaymentId: row['pix_payment_id'],
    createdAt: row['created_at'],
    completedAt: row['completed_at'],
  }));
}

const decimalOf = (minor: unknown): string | null =>
  minor === null ? null : (Number(minor) / 100).toFixed(2);

export async function getMe(db: Pool, userId: string) {
  const { rows } = await query(
    db,
    `select person.id, person.email_sealed, person.home_currency, person.display_name, person.created_at,
            person.balance_minor, kyc.state, kyc.level, kyc.completed_at, account.deposit_instructions_sealed
     from users person
     left join kyc_verifications kyc on kyc.user_id = person.id
     left join provider_accounts account on account.user_id = person.id and account.currency = person.home_currency::text::currency
     where person.id = $1`,
    [userId],
  );
  const row = rows[0] as Row;
  return {
    user: {
      id: row['id'],
      email: textOf(row['email_sealed']),
      homeCurrency: row['home_currency'],
      displayName: row['display_name'],
      createdAt: row['created_at'],
    },
    kyc: { status: row['state'], level: row['level'], completedAt: row['completed_at'] },
    balance: { currency: row['home_currency'], amount: Number(row['balance_minor']) },
    deposit: JSON.parse(textOf(row['deposit_instructions_sealed'])) as unknown,
  };
}

export async function getPayment(db: Pool, userId: string, id: string) {
  const { rows } = await query(
    db,
    `select id, transaction_id, state, amount_brl_minor, source_currency, source_amount_minor, exchange_rate, pix_key_type, pix_key_sealed,
            recipient_name_sealed, end_to_end_id, voucher_id, failure, settlement_amount_minor, settlement_currency,
            returned_brl_minor, contestation_status, settled_at, expires_at, created_at, updated_at
     from pix_payments where user_id = $1 and id = $2`,
    [userId, id],
  );
  const row = rows[0] as Row;
  return {
    id: row['id'],
    transactionId: row['transaction_id'],
    status: String(row['state']).split('.')[0],
    amountBrl: (Number(row['amount_brl_minor']) / 100).toFixed(2),
    sourceCurrency: row['source_currency'],
    sourceAmount: Number(row['source_amount_minor']),
    feeAmount: feeOf(row),
    exchangeRate: row['exchange_rate'],
    pixKey: textOf(row['pix_key_sealed']),
    pixKeyType: row['pix_key_type'],
    recipientName: row['recipient_name_sealed'] === null ? null : textOf(row['recipient_name_sealed']),
    voucherId: row['voucher_id'],
    endToEndId: row['end_to_end_id'],
    failureReason: sentenceOf(row),
    failureCode: row['failure'],
    returnedAmountBrl: decimalOf(row['returned_brl_minor']),
    contestationStatus: row['contestation_status'],
    settlement:
      row['settled_at'] === null
        ? null
        : {
            amount: Number(row['settlement_amount_minor']),
            currency: row['settlement_currency'],
            at: row['settled_at'],
          },
    expiresAt: row['expires_at'],
    createdAt: row['created_at'],
    updatedAt: row['updated_at'],
  };
}

type PaymentBody = { quoteId: string; pixKey: string; pixKeyType: string };

export async function pay(db: Pool, userId: string, { quoteId, pixKey, pixKeyType }: PaymentBody) {
  const quotes = await query(db, 'select * from pix_quotes where user_id = $1 and id = $2', [
    userId,
    quoteId,
  ]);
  const quote = quotes.rows[0] as Row;
  const accounts = await query(
    db,
    `select provider_account_id from provider_accounts where user_id = $1 and currency = $2 and state = 'active'`,
    [userId, quote['source_currency']],
  );
  const balanceMinor = await readBalanceMinor(String(accounts.rows[0]?.['provider_account_id']));
  return inTransaction(db, (client) =>
    writePayment(client, { userId, quote, pixKey, pixKeyType, balanceMinor }),
  );
}

type Payment = { userId: string; quote: Row; pixKey: string; pixKeyType: string; balanceMinor: number };

async function writePayment(
  client: PoolClient,
  { userId, quote, pixKey, pixKeyType, balanceMinor }: Payment,
) {
  const [id, transactionId, effectId, now] = [newId(), newId(), newId(), new Date()];
  const amounts = [quote['source_currency'], quote['source_amount_minor'], quote['amount_brl_minor']];
  await query(client, 'select balance_version from users where id = $1 for no key update', [userId]);
  const spoken = await query(
    client,
    `select sum(payment.source_amount_minor) as minor from provider_resources resource
     join pix_payments payment on payment.id = resource.subject_id
     where resource.user_id = $1 and resource.provider_ref is null and payment.state::text like 'converting.%'`,
    [userId],
  );
  if (balanceMinor - Number(spoken.rows[0]?.['minor'] ?? 0) < Number(quote['source_amount_minor']))
    throw new Error('insufficient funds');
  await query(
    client,
    `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, dest_currency,
       dest_amount_minor, fx_rate, provider, created_at)
     values ($1, $2, 'payment', 'pending', $3, $4, 'BRL', $5, $6, 'sandbox', $7)`,
    [transactionId, userId, ...amounts, quote['rate'], now],
  );
  await query(
    client,
    `insert into pix_payments (id, user_id, transaction_id, quote_id, flow, source_currency, source_amount_minor,
       amount_brl_minor, exchange_rate, pix_key_type, pix_key_sealed, state, seq, state_entered_at, payout_attempt,
       expires_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'direct', $5, $6, $7, $8, $9, $10, 'converting.direct', 2, $11, 0, $12, $11, $11)`,
    [
      id,
      userId,
      transactionId,
      quote['id'],
      ...amounts,
      quote['rate'],
      pixKeyType,
      Buffer.from(pixKey),
      now,
      quote['expires_at'],
    ],
  );
  const transition = `insert into transitions (subject_kind, subject_id, seq, user_id, from_state, to_state, event, event_data,
      cause_kind, cause_id, occurred_at) values ('pix_payment', $1, $2, $3, $4, $5, $6, '{}', 'request', $7, $8)`;
  const cause = [randomUUID(), now];
  await query(client, transition, [id, 1, userId, null, 'quoted', 'begun', ...cause]);
  await query(client, transition, [id, 2, userId, 'quoted', 'converting.direct', 'confirmed', ...cause]);
  await query(
    client,
    `insert into provider_resources (handle, kind, leg, user_id, subject_kind, subject_id, created_at)
     values ($1, 'transfer', 'direct', $2, 'pix_payment', $3, $4)`,
    [handleFor(id, 'conversion-direct'), userId, id, now],
  );
  await query(
    client,
    `insert into effects (id, user_id, subject_kind, subject_id, seq, type, params, due_at, created_at)
     values ($1, $2, 'pix_payment', $3, 2, 'startConversion', '{"leg":"direct"}', now(), $4)`,
    [effectId, userId, id, now],
  );
  return { transactionId, pixPaymentId: id, status: 'converting' };
}

type CallbackBody = { event: string; data: { uuid: string; status: string }; updated_at: string };

export async function storeCallback(db: Pool, body: CallbackBody) {
  const id = newId();
  const identity = `${body.event}:${body.data.uuid}:${body.updated_at}`;
  await query(
    db,
    `insert into webhook_events (id, provider, identity, event_type, payload_sealed, received_at, status, due_at)
     values ($1, 'sandbox', $2, $3, $4, $5, 'received', now())
     on conflict (provider, identity) do nothing`,
    [
      id,
      createHash('sha256').update(identity).digest(),
      body.event,
      Buffer.from(JSON.stringify(body)),
      new Date(),
    ],
  );
  return { status: 'received' };
}

function counterpartyOf(row: Row) {
  const name = row['recipient_name_sealed'] === null ? null : textOf(row['recipient_name_sealed']);
  if (row['pix_key_sealed'] !== null) {
    const account = maskPixKey(textOf(row['pix_key_sealed']), row['pix_key_type'] as PixKeyType);
    return { name, account, reference: null };
  }
  if (row['destination_sealed'] !== null) {
    const bank = maskBankDetails(JSON.parse(textOf(row['destination_sealed'])) as BankDetails);
    const account = bank.currency === 'GBP' ? bank.accountNumber : bank.iban;
    return { name: bank.accountHolderName, account, reference: null };
  }
  if (row['source_reference_sealed'] === null) return null;
  return { name: null, account: null, reference: textOf(row['source_reference_sealed']) };
}

const textOf = (bytes: unknown): string => (bytes as Buffer).toString();

const sentenceOf = ({ failure }: Row): string | null =>
  failure === null ? null : failureReasons[failure as keyof typeof failureReasons];
