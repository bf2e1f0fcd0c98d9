// Presents a quote and a PIX payment in the contract's form.
import { statusOf } from '../../machines/step.ts';
import type { PixPayment, PixQuote } from '../../openapi/generated/openapi.ts';
import { sentenceOf } from '../domain/failure-reasons.ts';
import { quoteIdText } from '../domain/ids.ts';
import type { Language } from '../domain/language.ts';
import { formatDecimal } from '../domain/money.ts';
import { meaningOf, type PayoutFailure, payoutFailureSentence } from '../domain/payout-failures.ts';
import { effectiveRate, feeAmountMinor, rateNumber } from '../domain/rates.ts';
import { payoutFailureOf, settlementOf } from '../lifecycle/pix-payment.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Open } from '../security/sealer.ts';
import type { ShownPixPayment } from '../tables/pix-payments/statements.ts';
import type { Entity } from '../tables/rows.ts';

type QuoteFigures = Pick<
  Entity<'PixQuote'>,
  'id' | 'amountBrlMinor' | 'rate' | 'sourceCurrency' | 'sourceAmountMinor' | 'serviceSpreadBps' | 'expiresAt'
>;

export const pixQuoteFrom = (quote: QuoteFigures): PixQuote => ({
  quoteId: quoteIdText(quote.id),
  rate: rateNumber(quote.rate),
  sourceCurrency: quote.sourceCurrency,
  sourceAmount: quote.sourceAmountMinor,
  feeAmount: feeAmountMinor(quote),
  effectiveRate: Number(effectiveRate(quote)),
  serviceSpreadBps: quote.serviceSpreadBps,
  expiresAt: quote.expiresAt.toISOString(),
});

export function pixPaymentFrom(open: Open, row: ShownPixPayment, language: Language): PixPayment {
  const { id, userId, recipientNameSealed: name } = row;
  return {
    id,
    transactionId: row.transactionId,
    status: statusOf(row.state),
    amountBrl: formatDecimal(row.amountBrlMinor, 'BRL'),
    sourceCurrency: row.sourceCurrency,
    sourceAmount: row.sourceAmountMinor,
    feeAmount: feeAmountMinor({ ...row, rate: row.exchangeRate }),
    exchangeRate: row.exchangeRate,
    pixKey: open(encryptionContexts.pixKey(userId, id), row.pixKeySealed),
    pixKeyType: row.pixKeyType,
    recipientName: name && open(encryptionContexts.recipientName(userId, id), name),
    voucherId: row.voucherId,
    endToEndId: row.endToEndId,
    ...shownFailure(row, language),
    returnedAmountBrl: returnedAmount(row),
    contestationStatus: row.contestationStatus,
    settlement: shownSettlement(row),
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Returns what came back of a completed payment, as decimal text. Null if nothing came back. */
export const returnedAmount = ({
  returnedBrlMinor: minor,
}: {
  returnedBrlMinor: number | null;
}): string | null => (minor === null ? null : formatDecimal(minor, 'BRL'));

function shownFailure(
  row: ShownPixPayment,
  language: Language,
): Pick<PixPayment, 'failureReason' | 'failureCode' | 'payoutFailure'> {
  const { failure: failureCode } = row;
  const payoutFailure = payoutFailureOf(row);
  if (payoutFailure === null) return { failureReason: sentenceOf(failureCode, language), failureCode };
  const failureReason = payoutFailureSentence(payoutFailure, language);
  return { failureReason, failureCode, payoutFailure: shownPayoutFailure(payoutFailure) };
}

export const shownPayoutFailure = (failure: PayoutFailure): NonNullable<PixPayment['payoutFailure']> => ({
  code: failure.code,
  limit: failure.limit,
  retryHelps: meaningOf(failure).retryHelps,
  retryFrom: failure.retryFrom && failure.retryFrom.toISOString(),
});

function shownSettlement(row: ShownPixPayment): PixPayment['settlement'] {
  const settlement = settlementOf(row);
  if (settlement === null) return null;
  const { amountMinor: amount, currency, at } = settlement;
  return { amount, currency, at: at.toISOString() };
}
