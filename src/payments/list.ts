// GET /pix/payments: lists the user's PIX payments, newest first.

import { ok, withUserRow } from '../api/operation.ts';
import { page, pageRequest, pageStart } from '../api/paging.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { listPixPayments as readPage } from '../platform/sql/pix-payments.ts';
import { pixPaymentFrom } from './present.ts';

export const listPixPayments = withUserRow(
  'listPixPayments',
  (db, userId, { query }) => readPage(db, { userId, ...pageStart(pageRequest(query)) }),
  async ({ rows: found, query }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/pix/payments', pageRequest(query), found);
    return ok(await Promise.all(rows.map((row) => pixPaymentFrom(sealer, row))), headers);
  },
);
