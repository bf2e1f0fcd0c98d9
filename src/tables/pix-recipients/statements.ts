// The recipients whom users have paid.

import { sql } from 'kysely';
import { asProperties } from '../../platform/database/prepared.ts';
import { isAfter, type PageStart } from '../paging.ts';
import { equals, prepared } from '../prepared.ts';

/** A recipient with the key of the last payment, and the name of the last payment that has one. */
export type ShownRecipient = Awaited<ReturnType<typeof listRecipients>>[number];

/** Lists a page of recipients, those paid last first. */
export const listRecipients = prepared.all((db, params: PageStart & { userId: string }) =>
  db
    .selectFrom('PixRecipient as recipient')
    .innerJoin('PixPayment as last', (join) =>
      join.onRef('last.id', '=', 'recipient.lastPaymentId').onRef('last.userId', '=', 'recipient.userId'),
    )
    .leftJoin('PixPayment as named', (join) =>
      join.onRef('named.id', '=', 'recipient.namedPaymentId').onRef('named.userId', '=', 'recipient.userId'),
    )
    .select(asProperties('recipient', 'id', 'userId', 'lastPaymentId', 'namedPaymentId', 'lastPaidAt'))
    .select(asProperties('last', 'pixKeyType', 'pixKeySealed'))
    .select(asProperties('named', 'recipientNameSealed'))
    .where('recipient.userId', '=', params.userId)
    .where(isAfter('recipient', params, 'last_paid_at'))
    .orderBy('recipient.lastPaidAt', 'desc')
    .orderBy('recipient.id', 'desc')
    .limit(params.rows),
);

/**
 * Adds these payments of a user to their recipients. Each payment was completed and names its recipient. A name stays until a later
 * payment has another one.
 */
export const noteAsPaid = prepared.count(
  (_db, { userId, paymentIds }: { userId: string; paymentIds: string[] }) => sql`
    insert into pix_recipients as known (id, user_id, last_payment_id, named_payment_id, last_paid_at)
    select
      recipient_id, user_id,
      (array_agg(id order by state_entered_at desc, id desc))[1],
      (array_agg(id order by state_entered_at desc, id desc) filter (where recipient_name_sealed is not null))[1],
      max(state_entered_at)
    from pix_payments
    where user_id = ${userId} and id = any(${paymentIds}::uuid[])
    group by recipient_id, user_id
    on conflict (id, user_id) do update set
      last_payment_id = case
        when excluded.last_paid_at >= known.last_paid_at then excluded.last_payment_id else known.last_payment_id end,
      named_payment_id = case
        when excluded.last_paid_at >= known.last_paid_at then coalesce(excluded.named_payment_id, known.named_payment_id)
        else coalesce(known.named_payment_id, excluded.named_payment_id) end,
      last_paid_at = greatest(excluded.last_paid_at, known.last_paid_at)`,
);

export const deleteRecipient = prepared.count((db, { id, userId }: { id: string; userId: string }) =>
  db.deleteFrom('PixRecipient').where(equals({ id, userId })),
);

export const deleteRecipientsOfUser = prepared.count((db, { userId }: { userId: string }) =>
  db.deleteFrom('PixRecipient').where(equals({ userId })),
);
