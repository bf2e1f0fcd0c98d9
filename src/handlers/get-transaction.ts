// GET /transactions/{id}: returns one transaction. Apps poll it.
import { Refusal } from '../domain/refusals.ts';
import { transactionFrom } from '../queries/transactions.ts';
import { findTransaction } from '../sql/transactions.ts';
import { ok, withUserRow } from './operation.ts';

export const getTransaction = withUserRow(
  'getTransaction',
  (db, userId, { params: { id } }) => findTransaction(db, { userId, id }),
  async ({ rows: row }) => {
    if (!row) throw new Refusal('not_found');
    return ok(transactionFrom(row));
  },
);
