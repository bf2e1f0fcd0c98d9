// The timeline of a user: the current state of the accounts at the provider, and the latest payments, withdrawals and deposits.

import { findKyc } from '../../src/tables/kyc-verifications/statements.ts';
import {
  listAccountsInOrder,
  listLatestOthers,
  listLatestPayments,
  type TimelineSubject,
} from '../../src/tables/ops/timeline.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { findUser } from '../../src/tables/users/statements.ts';
import { amount, moment } from '../format.ts';
import { type DiscrepancyLine, discrepanciesOf } from './discrepancies.ts';
import { type LiveResource, liveResources, type TimelineServices } from './provider-resources.ts';
import type { Line, Timeline } from './timeline.ts';

const LATEST = 20;

export async function userTimeline(services: TimelineServices, { id }: TimelineSubject): Promise<Timeline> {
  const user = await findUser(services.db, { userId: id });
  if (!user) throw new Error(`the user ${id} is missing`);
  const kyc = await findKyc(services.db, { userId: id });
  const [payments, transactions, { provider, discrepancies }] = await Promise.all([
    paymentsOf(services.db, id),
    otherTransactionsOf(services.db, id),
    accountsOf(services, id),
  ]);
  return {
    what: 'User',
    id,
    state: user.closedAt ? 'closed' : null,
    since: user.closedAt,
    facts: [
      { label: 'home currency', text: user.homeCurrency ?? 'not chosen yet' },
      { label: 'signs in with', text: user.authProvider },
      { label: 'verification', text: kyc ? verificationText(kyc) : 'not begun' },
      { label: 'since', text: moment(user.createdAt) },
      { label: 'deleted', text: user.hardDeletionDueAt ? `on ${moment(user.hardDeletionDueAt)}` : '' },
    ],
    lists: [
      { title: `PIX payments (the latest ${LATEST})`, rows: payments },
      { title: `Withdrawals and deposits (the latest ${LATEST})`, rows: transactions },
    ],
    provider,
    discrepancies,
    history: null,
  };
}

const verificationText = ({ state, level, attempt, failureCode }: Entity<'KycVerification'>): string =>
  [state, level, attempt > 1 && `attempt ${attempt}`, failureCode].filter(Boolean).join(', ');

/** Fetches the owner of the verification and every account, and their discrepancies. Each is a separate subject. */
async function accountsOf(
  { db, provider, sealer }: TimelineServices,
  userId: string,
): Promise<{ provider: LiveResource[]; discrepancies: DiscrepancyLine[] }> {
  const accounts = await listAccountsInOrder(db, { userId });
  const [owner, ...live] = await Promise.all([
    liveResources({ db, provider, sealer }, { id: userId, userId }, 'BRL'),
    ...accounts.map(async ({ id, currency }) =>
      (await liveResources({ db, provider, sealer }, { id, userId }, currency)).map((one) => ({
        ...one,
        what: `${currency} account`,
      })),
    ),
  ]);
  const found = await Promise.all([
    discrepanciesOf(db, { id: userId, userId }, 'BRL'),
    ...accounts.map(({ id, currency }) => discrepanciesOf(db, { id, userId }, currency)),
  ]);
  return { provider: [...owner, ...live.flat()], discrepancies: found.flat() };
}

async function paymentsOf(db: Db, userId: string): Promise<Line[]> {
  const rows = await listLatestPayments(db, { userId, limit: LATEST });
  return rows.map((row) => ({
    id: row.id,
    what: 'PIX payment',
    state: row.state,
    since: row.stateEnteredAt,
    text: `${amount(row.sourceAmountMinor, row.sourceCurrency)} -> ${amount(row.amountBrlMinor, 'BRL')}`,
  }));
}

async function otherTransactionsOf(db: Db, userId: string): Promise<Line[]> {
  const rows = await listLatestOthers(db, { userId, limit: LATEST });
  return rows.map((row) => ({
    id: row.id,
    what: row.type,
    state: row.status,
    since: row.createdAt,
    text: amount(row.sourceAmountMinor, row.sourceCurrency),
  }));
}
