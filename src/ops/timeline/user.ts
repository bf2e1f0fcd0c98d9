// A user's accounts as they are at the provider, and their latest payments, withdrawals and deposits.
import type { App } from '../../app.ts';
import { amount, moment } from '../format.ts';
import type { Found } from './find.ts';
import { type LiveResource, liveResources } from './provider-resources.ts';
import type { Line, Timeline } from './timeline.ts';

const LATEST = 20;

export async function userTimeline(app: App, { id }: Found): Promise<Timeline> {
  const user = await app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const kyc = await app.db
    .selectFrom('kyc_verifications')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirst();
  const [payments, transactions, provider] = await Promise.all([
    paymentsOf(app, id),
    otherTransactionsOf(app, id),
    accountsOf(app, id),
  ]);
  return {
    what: 'User',
    id,
    state: user.closed_at ? 'closed' : null,
    since: user.closed_at,
    facts: [
      { label: 'home currency', text: user.home_currency ?? 'not chosen yet' },
      { label: 'signs in with', text: user.auth_provider },
      { label: 'verification', text: kyc ? `${kyc.state}${kyc.level ? `, ${kyc.level}` : ''}` : 'not begun' },
      { label: 'since', text: moment(user.created_at) },
      { label: 'deleted', text: user.hard_deletion_due_at ? `on ${moment(user.hard_deletion_due_at)}` : '' },
    ],
    lists: [
      { title: `PIX payments (the latest ${LATEST})`, rows: payments },
      { title: `Withdrawals and deposits (the latest ${LATEST})`, rows: transactions },
    ],
    provider,
    history: null,
  };
}

/** The owner of the verification and every account, each a subject of its own. */
async function accountsOf(app: App, userId: string): Promise<LiveResource[]> {
  const accounts = await app.db
    .selectFrom('provider_accounts')
    .select(['id', 'currency'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
  const [owner, ...live] = await Promise.all([
    liveResources(app, { id: userId, userId }, 'BRL'),
    ...accounts.map(async ({ id, currency }) =>
      (await liveResources(app, { id, userId }, currency)).map((one) => ({
        ...one,
        what: `${currency} account`,
      })),
    ),
  ]);
  return [...owner, ...live.flat()];
}

async function paymentsOf({ db }: App, userId: string): Promise<Line[]> {
  const rows = await db
    .selectFrom('pix_payments')
    .select(['id', 'state', 'state_entered_at', 'amount_brl_minor', 'source_currency', 'source_amount_minor'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(LATEST)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    what: 'PIX payment',
    state: row.state,
    since: row.state_entered_at,
    text: `${amount(row.source_amount_minor, row.source_currency)} -> ${amount(row.amount_brl_minor, 'BRL')}`,
  }));
}

async function otherTransactionsOf({ db }: App, userId: string): Promise<Line[]> {
  const rows = await db
    .selectFrom('transactions')
    .select(['id', 'type', 'status', 'created_at', 'source_currency', 'source_amount_minor'])
    .where('user_id', '=', userId)
    .where('type', '<>', 'payment')
    .orderBy('created_at', 'desc')
    .limit(LATEST)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    what: row.type,
    state: row.status,
    since: row.created_at,
    text: amount(row.source_amount_minor, row.source_currency),
  }));
}
