// The contestations of payments. Their states are written by `advance` alone (lifecycles.ts).
import { sql } from 'kysely';
import { equals, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';
import { callerClosedAt } from '../users/statements.ts';

type OfPayment = { paymentId: string; userId: string };

export const findContestation = prepared.first((db, { paymentId, userId }: OfPayment) =>
  db.selectFrom('Contestation').selectAll().where(equals({ paymentId, userId })),
);

export const findShownContestation = prepared.first((db, { paymentId, userId }: OfPayment) =>
  db
    .selectFrom('Contestation')
    .selectAll()
    .select(callerClosedAt(userId))
    .where(equals({ paymentId, userId })),
);

/** What a contestation is asked for with, and the payout that it is about. */
export type ContestationToSend = Pick<
  Entity<'Contestation'>,
  'id' | 'userId' | 'paymentId' | 'reason' | 'descriptionSealed' | 'state'
>;

export const findContestationToSend = prepared.first((db, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('Contestation')
    .select(['id', 'userId', 'paymentId', 'reason', 'descriptionSealed', 'state'])
    .where(equals({ id, userId })),
);

/** Makes the poll of the contestation of a payment due, whose payout has been reported as changed. */
export const pollContestationNow = prepared.count(
  (_db, { paymentId, userId }: OfPayment) => sql`
    update provider_resources set poll_count = 0, next_poll_at = now()
    where user_id = ${userId} and kind = 'contestation' and next_poll_at > now()
      and subject_id = (select id from contestations where payment_id = ${paymentId} and user_id = ${userId})`,
);

/** Locks the payment of a contestation, which shows its status. */
export const lockContestedPayment = prepared.first(
  (_db, { id, userId }: { id: string; userId: string }) => sql<{ id: string }>`
    select id from pix_payments
    where user_id = ${userId} and id = (select payment_id from contestations where id = ${id} and user_id = ${userId})
    for no key update of pix_payments`,
);
