// The timeline of a PIX payment.

import { sentenceOf } from '../../src/domain/failure-reasons.ts';
import { maskPixKey } from '../../src/domain/masking.ts';
import { meaningOf, type PayoutFailure } from '../../src/domain/payout-failures.ts';
import { payoutFailureOf } from '../../src/lifecycle/pix-payment.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { findPaymentInFull, type TimelineSubject } from '../../src/tables/ops/timeline.ts';
import { listRefundsOfPayment } from '../../src/tables/payout-refunds/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { acknowledgementOf } from '../acknowledged.ts';
import { amount, moment, oneLine } from '../format.ts';
import { openedLine } from '../open-sealed.ts';
import { discrepanciesOf } from './discrepancies.ts';
import { historyOf } from './history.ts';
import { liveResources, type TimelineServices } from './provider-resources.ts';
import type { Fact, Line, Timeline } from './timeline.ts';

export async function pixPaymentTimeline(
  services: TimelineServices,
  { id, userId }: TimelineSubject,
  now: Date,
): Promise<Timeline> {
  const row = await findPaymentInFull(services.db, { id, userId });
  if (!row) throw new Error(`the payment ${id} is missing`);
  const home = row.sourceCurrency;
  const subject = { id, userId, transactionId: row.transactionId, home, paysIn: 'BRL' } as const;
  const [maskedKey, provider, history, discrepancies, refunds] = await Promise.all([
    openedLine(services.sealer, encryptionContexts.pixKey(userId, id), row.pixKeySealed, (key) =>
      maskPixKey(key, row.pixKeyType),
    ),
    liveResources(services, subject, home),
    historyOf(services.db, subject, now),
    discrepanciesOf(services.db, subject, home),
    listRefundsOfPayment(services.db, { paymentId: id, userId }),
  ]);
  return {
    what: 'PIX payment',
    id,
    state: row.state,
    since: row.stateEnteredAt,
    facts: factsOf(row, maskedKey),
    lists: [{ title: 'Partial returns', rows: refunds.map(refundLine) }].filter(
      ({ rows }) => rows.length > 0,
    ),
    provider,
    discrepancies,
    history,
  };
}

/** A part that came back, by its movement. It is converted by payments return --partial. */
const refundLine = (row: Entity<'PayoutRefund'>): Line => ({
  id: row.movementRef,
  what: 'partial return',
  state: row.state,
  since: row.stateEnteredAt,
  text: [amount(row.amountBrlMinor, 'BRL'), amount(row.homeCreditMinor, row.homeCurrency)]
    .filter(Boolean)
    .join(' -> '),
});

type Payment = NonNullable<Awaited<ReturnType<typeof findPaymentInFull>>>;

function factsOf(row: Payment, maskedKey: string): Fact[] {
  const home = row.sourceCurrency;
  const acknowledged = acknowledgementOf(row);
  const payoutFailure = payoutFailureOf(row);
  return [
    { label: 'user', text: `${row.userId}${row.closedAt ? `, closed ${moment(row.closedAt)}` : ''}` },
    { label: 'transaction', text: `${row.transactionId}, ${row.transactionStatus}` },
    { label: 'pays', text: `${amount(row.amountBrlMinor, 'BRL')} to ${row.pixKeyType} ${maskedKey}` },
    {
      label: 'for',
      text: `${amount(row.sourceAmountMinor, home)} at ${row.exchangeRate}, ${flows[row.flow]}`,
    },
    { label: 'debited', text: amount(row.homeDebitMinor, home) },
    { label: 'USDC quoted', text: amount(row.usdcQuotedMinor, 'USDC') },
    { label: 'USDC delivered', text: amount(row.usdcDeliveredMinor, 'USDC') },
    { label: 'USDC left over', text: amount(row.usdcResidualMinor, 'USDC') },
    { label: 'BRL left over', text: amount(row.brlResidualMinor, 'BRL') },
    { label: 'credited by', text: creditText(row) },
    { label: 'payout attempt', text: String(row.payoutAttempt || '') },
    { label: 'end-to-end id', text: row.endToEndId ?? '' },
    { label: 'voucher', text: row.voucherId ?? '' },
    { label: 'came back', text: amount(row.returnedBrlMinor, 'BRL') },
    { label: 'contested', text: row.contestationStatus ?? '' },
    { label: 'reason', text: row.failure ?? '' },
    { label: 'payout failed', text: payoutFailure ? payoutFailureText(payoutFailure) : '' },
    {
      label: 'acknowledged',
      text: acknowledged ? `${moment(acknowledged.at)}: ${oneLine(acknowledged.reason)}` : '',
    },
    { label: row.settledAt ? 'settled' : 'proposed', text: settlementText(row) },
    {
      label: 'the user reads',
      text: (payoutFailure ? meaningOf(payoutFailure).sentence : sentenceOf(row.failure, 'en')) ?? '',
    },
    { label: 'confirmed', text: moment(row.createdAt) },
  ];
}

function payoutFailureText(failure: PayoutFailure): string {
  const { code, limit, retryFrom } = failure;
  const until = retryFrom ? ` from ${moment(retryFrom)} on` : '';
  const advice = meaningOf(failure).retryHelps ? `a retry helps${until}` : 'a retry does not help';
  return `${code}${limit === null ? '' : ` (${limit})`}: ${advice}`;
}

/** The movement that credited the failed payout, and the operators who named it. */
function creditText(row: Payment): string {
  const { returnCapBps, returnCreditRef, returnCreditProposedBy, returnCreditConfirmedBy } = row;
  if (returnCreditRef === null) return '';
  const by = [returnCreditProposedBy, returnCreditConfirmedBy].filter(Boolean).join(' and ');
  return `${returnCreditRef}${returnCapBps === null ? ', proposed' : ''}${by && ` by ${by}`}`;
}

function settlementText(row: Payment): string {
  const { settlementAmountMinor, settlementCurrency: currency, settlementReference, settledAt } = row;
  if (settlementAmountMinor === null || currency === null) return '';
  const by = [row.settlementProposedBy, row.settlementConfirmedBy].filter(Boolean).join(' and ');
  const when = settledAt ? `${moment(settledAt)}, ` : '';
  return `${when}${amount(settlementAmountMinor, currency)}, ${oneLine(settlementReference ?? '')}, by ${by}`;
}

const flows = { direct: 'in one conversion', two_hop: 'in two conversions' };
