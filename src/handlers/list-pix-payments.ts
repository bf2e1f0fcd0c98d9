// GET /pix/payments: the user's PIX payments, newest first.

import { page, pageRequest } from '../queries/paging.ts';
import { pixPaymentFrom, pixPaymentsOf } from '../queries/pix-payments.ts';
import { beside, ok } from './operation.ts';

export const listPixPayments = beside(
  'listPixPayments',
  (userId, { query }) => pixPaymentsOf(userId, pageRequest(query)),
  async ({ rows: found, query }, app) => {
    const { rows, headers } = page('/pix/payments', pageRequest(query), found, (row) => ({
      createdAt: new Date(row.created_at),
      id: row.id,
    }));
    return ok(await Promise.all(rows.map((row) => pixPaymentFrom(app.sealer, row))), headers);
  },
);
