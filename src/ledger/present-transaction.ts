// Presents a transaction in the contract's form.
import type { Transaction } from '../../openapi/generated/openapi.ts';
import { type FailureCode, failureReasons } from '../domain/failure-reasons.ts';
import type { ShownTransaction } from '../platform/sql/transactions.ts';

export const transactionFrom = (row: ShownTransaction): Transaction => ({
  id: row.id,
  type: row.type,
  status: row.status,
  sourceCurrency: row.sourceCurrency,
  sourceAmount: row.sourceAmountMinor,
  heldAmount: heldAmountOf(row),
  destCurrency: row.destCurrency,
  destAmount: row.destAmountMinor,
  fxRate: row.fxRate === null ? null : Number(row.fxRate),
  provider: row.provider,
  failureReason: sentenceOf(row.failure),
  failureCode: row.failure,
  pixPaymentId: row.pixPaymentId,
  createdAt: row.createdAt.toISOString(),
  completedAt: row.completedAt && row.completedAt.toISOString(),
});

/**
 * Returns the exact home debit of a payment that holds the user's money while nothing is under way: until it is retried, returned or
 * settled. Null for every other transaction, and if the debit is not known.
 */
const heldAmountOf = ({ paymentState: state, homeDebitMinor, settledAt }: ShownTransaction): number | null =>
  state === 'payout_failed' || (state === 'manual_review' && settledAt === null) ? homeDebitMinor : null;

/** Returns the sentence for users that a stored failure code represents. */
export const sentenceOf = (code: FailureCode | null): string | null =>
  code === null ? null : failureReasons[code];
