// GET /transactions/{id}: one transaction, as apps poll it.
import { Refusal } from '../domain/refusals.ts';
import { transactionFrom, transactionOf } from '../queries/transactions.ts';
import { beside, ok } from './operation.ts';

export const getTransaction = beside(
  'getTransaction',
  (userId, { params }) => transactionOf(userId, params.id),
  async ({ rows: row }) => {
    if (!row) throw new Refusal('not_found');
    return ok(transactionFrom(row));
  },
);
