// Presents a transaction in the contract's form.
import type { Transaction } from '../../../openapi/generated/openapi.ts';
import type { BankDetails } from '../../domain/bank-details.ts';
import { sentenceOf } from '../../domain/failure-reasons.ts';
import type { Language } from '../../domain/language.ts';
import { maskBankDetails, maskPixKey } from '../../domain/masking.ts';
import { plainTextOf } from '../../domain/plain-text.ts';
import { encryptionContexts } from '../../security/encryption-contexts.ts';
import type { Open } from '../../security/sealer.ts';
import type { ShownTransaction } from '../../tables/transactions/statements.ts';
import { returnedAmount } from '../present.ts';

/** @param open opens the sealed values of the transaction's user. */
export const transactionFrom = (
  open: Open,
  userId: string,
  row: ShownTransaction,
  language: Language,
): Transaction => ({
  id: row.id,
  type: row.type,
  status: row.status,
  sourceCurrency: row.sourceCurrency,
  sourceAmount: row.sourceAmountMinor,
  heldAmount: heldAmountOf(row),
  destCurrency: row.destCurrency,
  destAmount: row.destAmountMinor,
  returnedAmountBrl: returnedAmount(row),
  fxRate: row.fxRate === null ? null : Number(row.fxRate),
  counterparty: counterpartyOf[row.type](open, userId, row),
  provider: row.provider,
  failureReason: sentenceOf(row.failure, language),
  failureCode: row.failure,
  pixPaymentId: row.pixPaymentId,
  createdAt: row.createdAt.toISOString(),
  completedAt: row.completedAt && row.completedAt.toISOString(),
});

/**
 * Returns the exact home debit of a payment that holds the user's money while nothing is under way: until it is retried, returned or
 * settled. The amount that a late conversion restored is subtracted. Null for every other transaction, and if the debit is unknown.
 */
function heldAmountOf({
  paymentState: state,
  homeDebitMinor: debitMinor,
  settledAt,
  restoredMinor,
}: ShownTransaction): number | null {
  if (state === 'payout_failed') return debitMinor;
  if (state !== 'manual_review' || settledAt !== null || debitMinor === null) return null;
  const heldMinor = debitMinor - (restoredMinor ?? 0);
  return heldMinor > 0 ? heldMinor : null;
}

type Counterparty = NonNullable<Transaction['counterparty']>;

function recipientOf(open: Open, userId: string, row: ShownTransaction): Counterparty | null {
  const { pixPaymentId: id, pixKeyType, pixKeySealed, recipientNameSealed } = row;
  if (id === null || pixKeyType === null || pixKeySealed === null) return null;
  const pixKey = open(encryptionContexts.pixKey(userId, id), pixKeySealed);
  const name = recipientNameSealed && open(encryptionContexts.recipientName(userId, id), recipientNameSealed);
  return { name, account: maskPixKey(pixKey, pixKeyType), reference: null };
}

function ownBankOf(
  open: Open,
  userId: string,
  { id, destinationSealed }: ShownTransaction,
): Counterparty | null {
  if (destinationSealed === null) return null;
  const destination = open(encryptionContexts.withdrawDestination(userId, id), destinationSealed);
  const masked = maskBankDetails(JSON.parse(destination) as BankDetails);
  const account = masked.currency === 'GBP' ? masked.accountNumber : masked.iban;
  return { name: masked.accountHolderName, account, reference: null };
}

/** Returns what the payer of a deposit wrote. Null without a visible character. */
function payerOf(
  open: Open,
  userId: string,
  { id, sourceReferenceSealed }: ShownTransaction,
): Counterparty | null {
  if (sourceReferenceSealed === null) return null;
  const written = open(encryptionContexts.sourceReference(userId, id), sourceReferenceSealed);
  const reference = plainTextOf(written);
  return reference === '' ? null : { name: null, account: null, reference };
}

const counterpartyOf: Record<
  Transaction['type'],
  (open: Open, userId: string, row: ShownTransaction) => Counterparty | null
> = { payment: recipientOf, withdraw: ownBankOf, deposit: payerOf };
