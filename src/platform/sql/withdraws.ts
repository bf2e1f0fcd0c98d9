// The withdrawals. Their states are written by `advance` alone (lifecycles.ts).

import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { isAfter, type PageStart } from './paging.ts';
import { refsByCurrency } from './provider-accounts.ts';

export const findWithdraw = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('Withdraw').selectAll().where('userId', '=', userId).where('id', '=', id),
);

export type WantedWithdraw = {
  userId: string;
  amountMinor: number;
  bankDetailsId: string;
  bankDetailsVersion: number;
};

/**
 * Finds the latest withdrawal of the same amount to the same bank details within a minute, unless it failed. The database's clock
 * decides, because another process may have accepted it.
 */
export const findRepeatedWithdraw = prepared.first((db, given: WantedWithdraw) =>
  db
    .selectFrom('Withdraw')
    .selectAll()
    .where('userId', '=', given.userId)
    .where('createdAt', '>', sql<Date>`now() - interval '1 minute'`)
    .where('amountMinor', '=', given.amountMinor)
    .where('bankDetailsId', '=', given.bankDetailsId)
    .where('bankDetailsVersion', '=', given.bankDetailsVersion)
    .where('state', '<>', 'failed')
    .orderBy('createdAt', 'desc')
    .limit(sql.lit(1)),
);

export const listWithdraws = prepared.all((db, given: PageStart & { userId: string }) =>
  db
    .selectFrom('Withdraw as withdraw')
    .selectAll()
    .where('userId', '=', given.userId)
    .where(isAfter('withdraw', given))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(given.rows),
);

/** Finds the data that the payout of a withdrawal needs. */
export const findWithdrawToPayOut = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('Withdraw')
    .select(['id', 'currency', 'amountMinor', 'rail', 'destinationSealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);

/** Finds the amount, destination and account with which the withdrawal's payout was requested. */
export const findOrderedWithdraw = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('Withdraw')
    .select(['amountMinor', 'currency', 'rail', 'destinationSealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);
