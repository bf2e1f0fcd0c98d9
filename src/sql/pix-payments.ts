// The PIX payments. Their states are written by `advance` alone (lifecycles.ts).
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

export const findPixPaymentById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('PixPayment').selectAll().where('id', '=', id),
);

export const lockPixPaymentById = prepared.first((db, { id }: { id: string }) =>
  db.selectFrom('PixPayment').selectAll().where('id', '=', id).forNoKeyUpdate(),
);

type Acknowledgement = { id: string; userId: string; transition: number; at: Date; reason: string };

/** Keeps an operator's acknowledgement of a transition. */
export const acknowledgeTransition = prepared.count((db, given: Acknowledgement) =>
  db
    .updateTable('PixPayment')
    .set({ acknowledgedSeq: given.transition, acknowledgedAt: given.at, acknowledgement: given.reason })
    .where('id', '=', given.id)
    .where('userId', '=', given.userId),
);

/** Sums the USDC that the user's conversions left over, in minor units. */
export const sumResidue = prepared.first(
  (_db, { userId }: { userId: string }) => sql<{ residueMinor: number }>`
    select coalesce(sum(usdc_residual_minor), 0)::bigint as "residueMinor" from pix_payments where user_id = ${userId}`,
);
