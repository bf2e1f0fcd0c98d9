// A PIX payment's row and its machine: what is remembered, what each effect creates, how its transaction follows.

import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import type { PixPaymentStatus, TransactionStatus } from '../../openapi/generated/openapi.ts';
import { handleFor } from '../domain/handles.ts';
import type { PixPaymentRow } from '../entities/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

export const pixPayment: Lifecycle<typeof pixPaymentMachine, PixPaymentRow> = {
  kind: 'pix_payment',
  table: 'pix_payments',
  machine: pixPaymentMachine,
  invariants: pixPaymentInvariants,

  contextOf: (row) => ({
    flow: row.flow,
    quotedSourceMinor: row.source_amount_minor,
    amountBrlMinor: row.amount_brl_minor,
    homeDebitMinor: row.home_debit_minor,
    usdcDeliveredMinor: row.usdc_delivered_minor,
    usdcResidualMinor: row.usdc_residual_minor,
    payoutAttempt: row.payout_attempt,
    endToEndId: row.end_to_end_id,
    voucherId: row.voucher_id,
    failure: row.failure,
  }),

  columnsOf: (context) => ({
    home_debit_minor: context.homeDebitMinor,
    usdc_delivered_minor: context.usdcDeliveredMinor,
    usdc_residual_minor: context.usdcResidualMinor,
    payout_attempt: context.payoutAttempt,
    end_to_end_id: context.endToEndId,
    voucher_id: context.voucherId,
    failure: context.failure,
  }),

  resourceOf: ({ id }, effect) => {
    if (effect.type === 'startPayout') return { handle: handleFor(id, 'payout'), kind: 'payout', leg: null };
    if (effect.type !== 'startConversion') return null;
    const { leg } = effect.params;
    return { handle: handleFor(id, `conversion-${leg}`), kind: 'transfer', leg };
  },

  project: async (tx, row, { status, context, now }) => {
    const transactionStatus = transactionStatuses[status];
    await tx
      .updateTable('transactions')
      .set({
        status: transactionStatus,
        failure: transactionStatus === 'failed' ? context.failure : null,
        ...(status === 'completed' && { completed_at: now }),
      })
      .where('id', '=', row.transaction_id)
      .where('user_id', '=', row.user_id)
      .execute();
  },
};

/** How the customer's transaction follows the payment. */
export const transactionStatuses = {
  quoted: 'pending',
  converting: 'pending',
  paying: 'pending',
  payout_failed: 'pending',
  refunding: 'pending',
  completed: 'completed',
  refunded: 'failed',
  manual_review: 'failed',
  failed: 'failed',
  conversion_failed: 'failed',
} as const satisfies Record<PixPaymentStatus, TransactionStatus>;
