// GET /transactions/{id}: one transaction, as apps poll it.
import { Refusal } from '../api/errors.ts';
import { beside, ok } from '../api/operation.ts';
import { transactionFrom, transactionOf } from '../queries/transactions.ts';

export const getTransaction = beside(
  'getTransaction',
  (userId, { params }) => transactionOf(userId, params.id),
  async ({ rows: row }) => {
    if (!row) throw new Refusal('not_found');
    return ok(transactionFrom(row));
  },
);
