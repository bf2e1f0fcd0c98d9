// The PIX payments. Their states are written by `advance` alone (lifecycles.ts).
import { prepared } from '../database/prepared.ts';
import { refsByCurrency } from './provider-accounts.ts';

type Key = { id: string; userId: string };

/** Finds what a conversion of the payment was ordered with. */
export const findOrderedConversion = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .select(['sourceCurrency', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);

/** Finds what the payout of the payment was ordered with. */
export const findOrderedPayout = prepared.first((db, { id, userId }: Key) =>
  db
    .selectFrom('PixPayment')
    .select(['amountBrlMinor', 'pixKeyType', 'pixKeySealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);
