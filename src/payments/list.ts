// GET /pix/payments: lists the user's PIX payments, newest first.
import { page, pageRequest, pageStart } from '../api/paging.ts';
import { pixPaymentFrom } from './present.ts';
import { listPixPayments as readPage } from '../platform/sql/pix-payments.ts';
import { ok, withUserRow } from '../api/operation.ts';

export const listPixPayments = withUserRow(
  'listPixPayments',
  (db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) }),
  async ({ rows: found, query }, app) => {
    const { rows, headers } = page('/pix/payments', pageRequest(query), found);
    return ok(await Promise.all(rows.map((row) => pixPaymentFrom(app.sealer, row))), headers);
  },
);
