// GET /pix/payments: lists the user's PIX payments, newest first.

import { ok, withUser, withUserRow } from '../api/operation.ts';
import { page, pageRequest, pageStart } from '../api/paging.ts';
import type { Sealer } from '../security/sealer.ts';
import { listPixPayments as readPage } from '../tables/pix-payments/statements.ts';
import { pixPaymentFrom } from './present.ts';

export const listPixPayments = withUser(
  'listPixPayments',
  withUserRow((db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) })),
  async ({ rows: found, query, user, language }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/pix/payments', pageRequest(query), found);
    const open = await sealer.openerOf(user.id);
    const shown = rows.map((row) => pixPaymentFrom(open, row, language));
    return ok(shown, headers);
  },
);
