// The withdrawals. Their states are written by `advance` alone (lifecycles.ts).
import { prepared } from '../database/prepared.ts';
import { refsByCurrency } from './provider-accounts.ts';

/** Finds what the payout of the withdrawal was ordered with. */
export const findOrderedWithdraw = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('Withdraw')
    .select(['amountMinor', 'currency', 'rail', 'destinationSealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);
