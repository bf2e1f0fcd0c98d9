// The customer's transactions: deposits, payments and withdrawals.
import { sql } from 'kysely';
import { everyProperty, prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type Transaction = Entity<'Transaction'>;

export const insertTransaction = prepared.count((db, transaction: Transaction) =>
  db.insertInto('Transaction').values(everyProperty('Transaction', transaction)),
);

/** Inserts nothing if the provider's movement is recorded already. */
export const insertDeposit = prepared.count((db, deposit: Transaction) =>
  db
    .insertInto('Transaction')
    .values(everyProperty('Transaction', deposit))
    .onConflict((conflict) => conflict.columns(['provider', 'providerRef', 'userId']).doNothing()),
);

/** Lists those of the provider's movements that are recorded as deposits. */
export const listRecordedMovements = prepared.all(
  (db, { provider, providerRefs }: { provider: string; providerRefs: string[] }) =>
    db
      .selectFrom('Transaction')
      .select('providerRef')
      .where('provider', '=', provider)
      .where('providerRef', '=', sql<string>`any(${providerRefs}::uuid[])`),
);
