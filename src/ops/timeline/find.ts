// From any id (of a screen, a receipt, a log or the provider's e-mail) to the payment, withdrawal, deposit or user behind it.
import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import type { App } from '../../app.ts';
import { parseQuoteId } from '../../domain/ids.ts';

export type Found = { kind: 'pix_payment' | 'withdraw' | 'deposit' | 'user'; id: string; userId: string };

/** @returns null when no row here has that id. */
export async function find(app: App, given: string): Promise<Found | null> {
  const id = parseQuoteId(given) ?? given.toLowerCase();
  const found = isUuid(id)
    ? ((await findByOurs(app, id)) ?? (await findByRelated(app, id)))
    : await findByReceipt(app, given);
  return found ?? (await findByRequest(app, given));
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

/** Ids of rows that belong to them: handles, the provider's ids, effects, callbacks, discrepancies. */
async function findByRelated(app: App, id: string): Promise<Found | null> {
  const { rows } = await sql<{ subjectId: string | null; userId: string | null }>`
    select subject_id as "subjectId", user_id as "userId" from provider_resources
      where handle = ${id} or provider_ref = ${id}
    union all select subject_id, user_id from effects where id = ${id}
    union all select subject_id, user_id from discrepancies where id = ${id} or provider_ref = ${id}
    union all select transaction_id, null from webhook_events where id = ${id}
    union all select id, user_id from transactions where provider = ${app.config.provider.name} and provider_ref = ${id}
    union all select user_id, user_id from provider_accounts where id = ${id} or provider_account_id = ${id}
  `.execute(app.db);
  const [related] = rows;
  if (!related) return null;
  const found = related.subjectId && (await findByOurs(app, related.subjectId));
  // Accounts, verifications and bank details are shown with their user.
  return found || (related.userId && (await findByOurs(app, related.userId))) || null;
}

/** The ids on the receipt of a payment: the scheme's end-to-end id, or the provider's voucher. */
async function findByReceipt({ db }: App, given: string): Promise<Found | null> {
  const payment = await db
    .selectFrom('pix_payments')
    .select(['id', 'user_id as userId'])
    .where((is) => is.or([is('end_to_end_id', '=', given), is('voucher_id', '=', given)]))
    .executeTakeFirst();
  return payment ? { kind: 'pix_payment', ...payment } : null;
}

/** The row that a request created or moved; for a request that only left an audit entry (a reveal, say), its user. */
async function findByRequest(app: App, given: string): Promise<Found | null> {
  const { rows } = await sql<{ subjectId: string; userId: string }>`
    (select subject_id as "subjectId", user_id as "userId" from transitions
      where cause_kind = 'request' and cause_id = ${given} order by occurred_at desc limit 1)
    union all (select user_id, user_id from audit_events
      where request_id = ${given} and user_id is not null order by seq desc limit 1)
  `.execute(app.db);
  for (const { subjectId, userId } of rows) {
    const found = (await findByOurs(app, subjectId)) ?? (await findByOurs(app, userId));
    if (found) return found;
  }
  return null;
}
