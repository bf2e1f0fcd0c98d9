// The withdrawals. Their states are written by `advance` alone (lifecycles.ts).

import { sql } from 'kysely';
import type { Db } from '../orm.ts';
import { isAfter, type PageStart } from '../paging.ts';
import { equals, prepared } from '../prepared.ts';
import { refsByCurrency } from '../provider-accounts/statements.ts';
import type { Entity } from '../rows.ts';
import { callerClosedAt } from '../users/statements.ts';

/** A withdrawal with the bank's check of its destination, unless those details were replaced since. */
export type ShownWithdraw = Entity<'Withdraw'> & Pick<Entity<'BankDetails'>, 'validationStatus'>;

const withBankCheck = (db: Db) =>
  db
    .selectFrom('Withdraw as withdraw')
    .leftJoin('BankDetails as bankDetails', (join) =>
      join
        .onRef('bankDetails.id', '=', 'withdraw.bankDetailsId')
        .onRef('bankDetails.userId', '=', 'withdraw.userId')
        .onRef('bankDetails.version', '=', 'withdraw.bankDetailsVersion'),
    )
    .selectAll('withdraw')
    .select('bankDetails.validationStatus');

export const findWithdraw = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  withBankCheck(db).where(equals({ 'withdraw.userId': userId, 'withdraw.id': id })),
);

export type WantedWithdraw = Pick<
  Entity<'Withdraw'>,
  'userId' | 'amountMinor' | 'bankDetailsId' | 'bankDetailsVersion'
>;

/** Finds the latest withdrawal of the same amount to the same bank details that did not fail. */
export const findSameWithdraw = prepared.first((db, params: WantedWithdraw) =>
  withBankCheck(db)
    .where(
      equals({
        'withdraw.userId': params.userId,
        'withdraw.amountMinor': params.amountMinor,
        'withdraw.bankDetailsId': params.bankDetailsId,
        'withdraw.bankDetailsVersion': params.bankDetailsVersion,
      }),
    )
    .where('withdraw.state', '<>', 'failed')
    .orderBy('withdraw.createdAt', 'desc')
    .limit(sql.lit(1)),
);

export const listWithdraws = prepared.all((db, params: PageStart & { userId: string }) =>
  withBankCheck(db)
    .select(callerClosedAt(params.userId))
    .where('withdraw.userId', '=', params.userId)
    .where(isAfter('withdraw', params))
    .orderBy('withdraw.createdAt', 'desc')
    .orderBy('withdraw.id', 'desc')
    .limit(params.rows),
);

export const findWithdrawToPayOut = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('Withdraw')
    .select(['id', 'currency', 'amountMinor', 'rail', 'destinationSealed', refsByCurrency(userId).as('refs')])
    .where(equals({ id, userId })),
);
