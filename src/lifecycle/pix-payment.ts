// The lifecycle of a PIX payment: the context that its row stores, the resource that each effect creates, and
// the status of its transaction.
import type { ContextFrom } from 'xstate';
import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import { pixPaymentMachine, type Settlement } from '../../machines/pix-payment.machine.ts';
import type { PixPaymentStatus, TransactionStatus } from '../../openapi/generated/openapi.ts';
import { handleFor } from '../domain/handles.ts';
import type { PaymentOutcome, Residues } from '../domain/outcome.ts';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import type { Entity } from '../tables/rows.ts';
import { updateTransaction } from '../tables/transactions/statements.ts';
import { type Lifecycle, secondsBetween } from './lifecycle.ts';

export const pixPayment: Lifecycle<typeof pixPaymentMachine, Entity<'PixPayment'>> = {
  kind: 'pix_payment',
  entity: 'PixPayment',
  machine: pixPaymentMachine,
  invariants: pixPaymentInvariants,

  contextOf: (row) => ({
    flow: row.flow,
    quotedSourceMinor: row.sourceAmountMinor,
    amountBrlMinor: row.amountBrlMinor,
    homeDebitMinor: row.homeDebitMinor,
    usdcDeliveredMinor: row.usdcDeliveredMinor,
    usdcResidualMinor: row.usdcResidualMinor,
    brlResidualMinor: row.brlResidualMinor,
    returnCapBps: row.returnCapBps,
    payoutAttempt: row.payoutAttempt,
    endToEndId: row.endToEndId,
    voucherId: row.voucherId,
    failure: row.failure,
    payoutFailure: payoutFailureOf(row),
    settlement: settlementOf(row),
  }),

  propertiesOf: (context) => ({
    homeDebitMinor: context.homeDebitMinor,
    usdcDeliveredMinor: context.usdcDeliveredMinor,
    usdcResidualMinor: context.usdcResidualMinor,
    brlResidualMinor: context.brlResidualMinor,
    returnCapBps: context.returnCapBps,
    payoutAttempt: context.payoutAttempt,
    endToEndId: context.endToEndId,
    voucherId: context.voucherId,
    failure: context.failure,
    payoutFailureCode: context.payoutFailure?.code ?? null,
    payoutFailureLimit: context.payoutFailure?.limit ?? null,
    payoutRetryFrom: context.payoutFailure?.retryFrom ?? null,
    settlementAmountMinor: context.settlement?.amountMinor ?? null,
    settlementCurrency: context.settlement?.currency ?? null,
    settledAt: context.settlement?.at ?? null,
  }),

  resourceOf: ({ id }, effect) => {
    if (effect.type === 'startPayout') return { handle: handleFor(id, 'payout'), kind: 'payout', leg: null };
    if (effect.type !== 'startConversion') return null;
    const { leg } = effect.params;
    return { handle: handleFor(id, `conversion-${leg}`), kind: 'transfer', leg };
  },

  // Only these two conversions have a locked quote. The others request new quotes.
  urgentUntil: ({ expiresAt }, effect) => {
    if (effect.type !== 'startConversion') return null;
    const { leg } = effect.params;
    return leg === 'direct' || leg === 'leg1' ? expiresAt : null;
  },

  project: async (tx, row, { status, formerStatus, context, now }) => {
    if (status !== formerStatus && isOutcome(status))
      tx.handOff.reaches({
        lifecycle: 'pix_payment',
        outcome: status,
        reason: status === 'completed' ? null : context.failure,
        residues: residuesAt(status, formerStatus, context),
        seconds: secondsBetween(row.createdAt, now),
      });
    const transactionStatus = transactionStatuses[status];
    // The customer sees one `pending` status while the payment is converted and paid out.
    if (transactionStatus === 'pending' && transactionStatuses[formerStatus] === 'pending') return;
    await updateTransaction(tx, {
      id: row.transactionId,
      userId: row.userId,
      status: transactionStatus,
      failure: transactionStatus === 'failed' ? context.failure : null,
      completedAt: status === 'completed' ? now : null,
    });
  },
};

/** Returns the residues of a payment at its end. A payment that is refunded after it was completed has left its USDC already. */
function residuesAt(
  status: PixPaymentStatus,
  formerStatus: PixPaymentStatus,
  { usdcResidualMinor, brlResidualMinor }: ContextFrom<typeof pixPaymentMachine>,
): Residues | null {
  if (status !== 'completed' && status !== 'refunded') return null;
  return { USDC: formerStatus === 'completed' ? 0 : (usdcResidualMinor ?? 0), BRL: brlResidualMinor ?? 0 };
}

const inProgress: ReadonlySet<PixPaymentStatus> = new Set(['quoted', 'converting', 'paying', 'refunding']);

const isOutcome = (status: PixPaymentStatus): status is PaymentOutcome => !inProgress.has(status);

/** Returns the settlement that two operators have recorded. A proposal of one operator is not a settlement. */
export function settlementOf(
  row: Pick<Entity<'PixPayment'>, 'settlementAmountMinor' | 'settlementCurrency' | 'settledAt'>,
): Settlement | null {
  const { settlementAmountMinor: amountMinor, settlementCurrency: currency, settledAt: at } = row;
  return amountMinor === null || currency === null || at === null ? null : { amountMinor, currency, at };
}

/**
 * Returns why the payout failed. Null unless the payment waits for a retry: a process of an earlier version leaves the columns as they
 * are when it begins the retry.
 */
export function payoutFailureOf({
  state,
  payoutFailureCode: code,
  payoutFailureLimit: limit,
  payoutRetryFrom: retryFrom,
}: Pick<
  Entity<'PixPayment'>,
  'state' | 'payoutFailureCode' | 'payoutFailureLimit' | 'payoutRetryFrom'
>): PayoutFailure | null {
  return state !== 'payout_failed' || code === null ? null : { code, limit, retryFrom };
}

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
