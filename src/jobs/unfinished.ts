// The rows that have not come to their end, a page at a time: verifications, accounts, payments and withdrawals.
import type { Db } from '../database/orm.ts';
import type { SubjectKind } from '../lifecycle/lifecycle.ts';

export type Unfinished = { id: string; user_id: string; state: string; seq: number };

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** In the words of a report. */
export const namesOf: Record<SubjectKind, string> = {
  kyc: 'verifications',
  provider_account: 'accounts',
  pix_payment: 'payments',
  withdraw: 'withdrawals',
};

/** Ordered by id; each has an index of just these rows. */
export function unfinishedOf(
  db: Db,
  kind: SubjectKind,
  after: string | null,
  limit: number,
): Promise<Unfinished[]> {
  const page = pages[kind](db).where('id', '>', after ?? NOBODY);
  return page.orderBy('id').limit(limit).select(['id', 'user_id', 'state', 'seq']).execute();
}

/** As it is now, or undefined where it has come to its end meanwhile. */
export const stillUnfinished = (db: Db, kind: SubjectKind, id: string): Promise<Unfinished | undefined> =>
  pages[kind](db).where('id', '=', id).select(['id', 'user_id', 'state', 'seq']).executeTakeFirst();

// The four tables have these columns in common, and the queries no others.
type Pages = Record<SubjectKind, (db: Db) => ReturnType<typeof withdraws>>;

const withdraws = (db: Db) => db.selectFrom('withdraws').where('state', '=', 'settling');

const pages: Pages = {
  kyc: (db) => db.selectFrom('kyc_verifications' as 'withdraws').where('state', '<>', 'completed'),
  provider_account: (db) => db.selectFrom('provider_accounts' as 'withdraws').where('state', '<>', 'active'),
  pix_payment: (db) =>
    db
      .selectFrom('pix_payments' as 'withdraws')
      .where('state', 'not in', ['completed', 'failed', 'refunded', 'conversion_failed']),
  withdraw: withdraws,
};
