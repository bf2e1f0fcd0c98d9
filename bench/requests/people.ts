// Users in two groups with the same rows. Values that the service seals are plain text for the references' users.
import { sql } from 'kysely';
import { newId } from '../../src/domain/ids.ts';
import type { Db } from '../../src/platform/database/orm.ts';
import { encryptionContexts } from '../../src/platform/security/encryption-contexts.ts';
import type { Sealer } from '../../src/platform/security/sealer.ts';
import { fill, makePeople } from '../sealing/people.ts';
import { notSealing } from '../sealing/variants.ts';

export type Group = 'service' | 'reference';
export type Payer = { id: string; group: Group; paymentId: string };

/** Creates users with a history of this many transactions each. Most are deposits; every tenth is a payment with its quote. */
export async function makePayers(
  db: Db,
  sealer: Sealer,
  { people, rows, at }: { people: number; rows: number; at: Date },
): Promise<Payer[]> {
  const made = makePeople(people, 1).map((person, n) => ({
    ...person,
    variant: n % 2 === 0 ? ('on' as const) : ('off' as const),
  }));
  await fill(db, (variant) => (variant === 'on' ? sealer : notSealing), made, at);
  await openBrlAccounts(db);
  await makeTransactions(db, Math.ceil(rows / people), at);
  const payers: Payer[] = [];
  for (const { id, variant } of made) {
    const isService = variant === 'on';
    const paymentId = await makePayment(db, isService ? sealer : notSealing, id, at);
    payers.push({ id, group: isService ? 'service' : 'reference', paymentId });
  }
  await sql`analyze`.execute(db);
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

async function makePayment(db: Db, sealer: Sealer, userId: string, at: Date): Promise<string> {
  const [quoteId] = await makeQuotes(db, [userId], at);
  const id = newId();
  const pixKey = await sealer.seal(encryptionContexts.pixKey(userId, id), '52998224725');
  const name = await sealer.seal(encryptionContexts.recipientName(userId, id), 'Bea Souza');
  await sql`
    insert into pix_payments (id, user_id, transaction_id, quote_id, flow, source_currency, source_amount_minor,
      amount_brl_minor, exchange_rate, pix_key_type, pix_key_sealed, recipient_name_sealed, state, seq, state_entered_at,
      payout_attempt, end_to_end_id, voucher_id, expires_at, created_at, updated_at)
    select ${id}::uuid, ${userId}::uuid, id, ${quoteId ?? null}::uuid, 'direct', 'GBP', 1500, 10000, 6.73, 'cpf',
      ${pixKey}::bytea, ${name}::bytea, 'completed', 4, ${at}::timestamptz, 1, ${id}, ${id}, ${at}, ${at}, ${at}
    from transactions where user_id = ${userId}::uuid order by created_at limit 1`.execute(db);
  return id;
}
