// Verified users in two groups with the same transactions, payments and quotes.
import { sql } from 'kysely';
import { newId } from '../../src/domain/ids.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import type { Db } from '../../src/tables/orm.ts';
import { makeVerifiedUsers, notSealing, type VerifiedUser } from './verified-users.ts';

export type Payer = VerifiedUser & { paymentId: string };

/** Creates users who have this many transactions in all. Most are deposits; every tenth is a payment with its quote. */
export async function makePayers(
  db: Db,
  sealer: Sealer,
  { people, rows, at }: { people: number; rows: number; at: Date },
): Promise<Payer[]> {
  const users = await makeVerifiedUsers(db, sealer, people, at);
  await openBrlAccounts(db);
  await makeTransactions(db, Math.ceil(rows / people), at);
  const payers: Payer[] = [];
  for (const user of users) {
    const isService = user.group === 'service';
    const paymentId = await makePayments(db, isService ? sealer : notSealing, user.id, at);
    payers.push({ ...user, paymentId });
  }
  // PostgreSQL vacuums filled tables after a minute. The first operations must not be measured without it.
  await sql`vacuum analyze`.execute(db);
  return payers;
}

/** @returns the ids of new quotes, one for each of these users, in their order. */
export async function makeQuotes(db: Db, userIds: string[], at: Date): Promise<string[]> {
  const ids = userIds.map(() => newId());
  await sql`
    insert into pix_quotes (id, user_id, flow, amount_brl_minor, source_currency, source_amount_minor, rate,
      service_spread_bps, provider_quote_id, expires_at, created_at)
    select id, user_id, 'direct', 10000, 'GBP', 1500, 6.73, 100, gen_random_uuid(),
      ${at}::timestamptz + interval '1 day', ${at}
    from unnest(${ids}::uuid[], ${userIds}::uuid[]) as wanted (id, user_id)`.execute(db);
  return ids;
}

const openBrlAccounts = (db: Db) =>
  sql`
    insert into provider_accounts (id, user_id, currency, state, seq, state_entered_at, provider_account_id, created_at,
      updated_at)
    select uuidv7(), user_id, 'BRL', state, seq, state_entered_at, gen_random_uuid(), created_at, updated_at
    from provider_accounts where currency = 'GBP'`.execute(db);

/** Within each minute, the users' transactions follow one another, as in production. */
const makeTransactions = (db: Db, each: number, at: Date) =>
  sql`
    insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, dest_currency,
      dest_amount_minor, fx_rate, provider, failure, created_at, completed_at)
    select uuidv7(), users.id, case n % 10 when 0 then 'payment'::transaction_type else 'deposit' end,
      case n % 50 when 0 then 'failed'::transaction_status else 'completed' end, 'GBP', 100 + n % 900,
      case n % 10 when 0 then 'BRL' end, case n % 10 when 0 then 700 + n end, case n % 10 when 0 then 6.73 end,
      'sandbox', case n % 50 when 0 then 'payout_failed'::failure_code end, ${at}::timestamptz - make_interval(mins => n),
      ${at}::timestamptz - make_interval(mins => n)
    from generate_series(${each}::int, 1, -1) n, users`.execute(db);

/**
 * Creates the payments of the user's transactions. @returns the id of the newest.
 * @throws if no transaction is a payment.
 */
async function makePayments(db: Db, sealer: Sealer, userId: string, at: Date): Promise<string> {
  const transactions = await db
    .selectFrom('Transaction')
    .select('id')
    .where('userId', '=', userId)
    .where('type', '=', 'payment')
    .orderBy('createdAt')
    .execute();
  const ids = transactions.map(() => newId());
  const quoteIds = await makeQuotes(
    db,
    transactions.map(() => userId),
    at,
  );
  const pixKeys: (string | Buffer)[] = [];
  const names: (string | Buffer)[] = [];
  for (const id of ids) {
    pixKeys.push(await sealer.seal(encryptionContexts.pixKey(userId, id), '52998224725'));
    names.push(await sealer.seal(encryptionContexts.recipientName(userId, id), 'Bea Souza'));
  }
  await sql`
    insert into pix_payments (id, user_id, transaction_id, quote_id, flow, source_currency, source_amount_minor,
      amount_brl_minor, exchange_rate, pix_key_type, pix_key_sealed, recipient_name_sealed, state, failure, seq,
      state_entered_at, payout_attempt, end_to_end_id, voucher_id, expires_at, created_at, updated_at)
    select made.id, t.user_id, t.id, quote_id, 'direct', 'GBP', t.source_amount_minor, t.dest_amount_minor, t.fx_rate, 'cpf',
      pix_key, name, case t.status when 'failed' then 'failed'::pix_payment_state else 'completed' end, t.failure, 4,
      t.created_at, 1, made.id, made.id, t.created_at, t.created_at, t.created_at
    from unnest(${ids}::uuid[], ${transactions.map(({ id }) => id)}::uuid[], ${quoteIds}::uuid[], ${pixKeys}::bytea[],
      ${names}::bytea[]) as made (id, transaction_id, quote_id, pix_key, name)
    join transactions t on t.id = transaction_id`.execute(db);
  const newest = ids.at(-1);
  if (newest === undefined) throw new Error('a user needs ten transactions: use more rows or fewer people');
  return newest;
}
