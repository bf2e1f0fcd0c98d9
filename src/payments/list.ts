// GET /pix/payments: lists the user's PIX payments, newest first, and those that match filters.

import { states } from '../../machines/states.ts';
import { statusOf } from '../../machines/step.ts';
import { ok, withUser, withUserRow } from '../api/operation.ts';
import { filteredPageStart, isFiltered, page, pageStart } from '../api/paging.ts';
import type { Sealer } from '../security/sealer.ts';
import {
  type ListedPixPayment,
  listPixPayments as listAll,
  listMatchingPixPayments,
} from '../tables/pix-payments/statements.ts';
import { brlRange, homeRange } from './amount-filters.ts';
import { pixPaymentFrom } from './present.ts';

export const listPixPayments = withUser(
  'listPixPayments',
  withUserRow((db, userId, { query }): Promise<ListedPixPayment[]> => {
    if (!isFiltered(query)) return listAll(db, { userId, ...pageStart(query) });
    const { status: statuses } = query;
    const ofStatus = statuses
      ? states.pix_payment.filter((state) => statuses.includes(statusOf(state)))
      : null;
    const filters = { states: ofStatus, ...homeRange(query), ...brlRange(query) };
    return listMatchingPixPayments(db, { userId, ...filteredPageStart(query), ...filters });
  }),
  async ({ rows: read, query, user, language }, { sealer }: { sealer: Sealer }) => {
    const { rows, headers } = page('/pix/payments', query, read);
    const open = await sealer.openerOf(user.id);
    const payments = rows.map((row) => pixPaymentFrom(open, row, language));
    return ok(payments, headers);
  },
);
