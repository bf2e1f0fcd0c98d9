// GET /transactions/{id}: returns one transaction. Apps poll it.

import { ok, withUser, withUserRow } from '../../api/operation.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Sealer } from '../../security/sealer.ts';
import { findTransaction } from '../../tables/transactions/statements.ts';
import { transactionFrom } from './present.ts';

export const getTransaction = withUser(
  'getTransaction',
  withUserRow((db, userId, { params: { id } }) => findTransaction(db, { userId, id })),
  async ({ rows: row, user, language }, { sealer }: { sealer: Sealer }) => {
    if (!row) throw new Refusal('not_found');
    return ok(transactionFrom(await sealer.openerOf(user.id), user.id, row, language));
  },
);
