// The operators' list of payments that wait for a person.
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

type PixPayment = Entity<'PixPayment'>;

export type PaymentInReview = Pick<
  PixPayment,
  | 'id'
  | 'transactionId'
  | 'userId'
  | 'state'
  | 'amountBrlMinor'
  | 'sourceCurrency'
  | 'sourceAmountMinor'
  | 'payoutAttempt'
  | 'failure'
  | 'seq'
  | 'acknowledgedSeq'
  | 'acknowledgedAt'
  | 'acknowledgement'
> & {
  since: Date;
  /** The resource whose failure the provider gave a reason for last. Null if it gave none. */
  handle: string | null;
  reasonSealed: Uint8Array | null;
  reasonSealedAt: Date | null;
};

/** Lists the payments in these states, the longest waiting first. */
export const listPaymentsInStates = prepared.all(
  (_db, { states, limit }: { states: PixPayment['state'][]; limit: number }) => sql<PaymentInReview>`
    select payment.id, payment.transaction_id, payment.user_id, payment.state, payment.state_entered_at as since,
      payment.amount_brl_minor, payment.source_currency, payment.source_amount_minor, payment.payout_attempt,
      payment.failure, payment.seq, payment.acknowledged_seq, payment.acknowledged_at, payment.acknowledgement,
      fault.handle, fault.reason_sealed, fault.reason_sealed_at
    from pix_payments as payment
    left join lateral (
      select handle, reason_sealed, reason_sealed_at from provider_resources
      where subject_id = payment.id and user_id = payment.user_id and reason_sealed is not null
      order by snapshot_updated_at desc
      limit 1
    ) as fault on true
    where payment.state = any(${states}::pix_payment_state[])
    order by payment.state_entered_at
    limit ${limit}`,
);
