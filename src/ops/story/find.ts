// Whatever id somebody has in hand, from a screen, a log or the provider's e-mail: whose story it belongs to.
import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import type { App } from '../../app.ts';
import { parseQuoteId } from '../../domain/ids.ts';

export type Found = { kind: 'pix_payment' | 'withdraw' | 'deposit' | 'user'; id: string; userId: string };

/** @returns null when nothing here goes by that id. */
export async function find(app: App, given: string): Promise<Found | null> {
  const id = parseQuoteId(given) ?? given.toLowerCase();
  if (isUuid(id)) return (await findByOurs(app, id)) ?? (await findByWork(app, id));
  return findByEndToEndId(app, given);
}

/** Ids that people are given: of payments, quotes, transactions, withdrawals and users. */
async function findByOurs({ db }: App, id: string): Promise<Found | null> {
  const { rows } = await sql<Found>`
    select 'pix_payment' as kind, id, user_id as "userId" from pix_payments
      where id = ${id} or transaction_id = ${id} or quote_id = ${id}
    union all select 'withdraw', id, user_id from withdraws where id = ${id}
    union all select 'deposit', id, user_id from transactions where id = ${id} and type = 'deposit'
    union all select 'user', id, id from users where id = ${id}
  `.execute(db);
  return rows[0] ?? null;
}

/** Ids of what was done for them: handles, the provider's own ids, effects, callbacks, discrepancies. */
async function findByWork(app: App, id: string): Promise<Found | null> {
  const { rows } = await sql<{ subjectId: string | null; userId: string | null }>`
    select subject_id as "subjectId", user_id as "userId" from provider_resources
      where handle = ${id} or provider_ref = ${id}
    union all select subject_id, user_id from effects where id = ${id}
    union all select subject_id, user_id from discrepancies where id = ${id} or provider_ref = ${id}
    union all select transaction_id, null from webhook_events where id = ${id}
    union all select id, user_id from transactions where provider = ${app.config.provider.name} and provider_ref = ${id}
    union all select user_id, user_id from provider_accounts where id = ${id} or provider_account_id = ${id}
  `.execute(app.db);
  const [work] = rows;
  if (!work) return null;
  const found = work.subjectId && (await findByOurs(app, work.subjectId));
  // Accounts, verifications and bank details are told with their user.
  return found || (work.userId && (await findByOurs(app, work.userId))) || null;
}

async function findByEndToEndId({ db }: App, given: string): Promise<Found | null> {
  const payment = await db
    .selectFrom('pix_payments')
    .select(['id', 'user_id as userId'])
    .where('end_to_end_id', '=', given)
    .executeTakeFirst();
  return payment ? { kind: 'pix_payment', ...payment } : null;
}
