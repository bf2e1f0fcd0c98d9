// One payment, from its confirmation to its final status, as it happens.
import type { PixPayment, Transaction } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { dateOf, momentOf } from '../dates.ts';
import { effectiveRateOf, formatBrl, formatMinor, formatRate, typedOf } from '../money.ts';
import { Button } from '../parts/button.ts';
import { type Fact, Facts } from '../parts/facts.ts';
import { InTheConsole } from '../parts/in-the-console.ts';
import { isDefinitive } from '../parts/next-step.ts';
import { Loading, Note } from '../parts/note.ts';
import { Progress } from '../parts/progress.ts';
import { nameOfKeyType } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { saidOfPayment } from '../parts/statuses.ts';
import { type Again, Unanswered } from '../parts/unanswered.ts';
import { retry } from '../state/intents.ts';
import { refreshMe } from '../state/me.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

export function Payment({ id }: { id: string }): VNode {
  const {
    value: payment,
    error,
    reload,
  } = useLoaded<PixPayment>((signal, show) => ponte.waitForPayment(id, { signal, onChange: show }), id);
  useEffect(() => {
    if (payment === null) return;
    void refreshMe();
    // The payment is in progress again: the last retry was accepted, so there is nothing to find out about it.
    if (payment.status !== 'payout_failed' && retry.get()?.paymentId === id) retry.set(null);
  }, [payment?.status]);
  return html`
    <${Screen} title=${t('Payment')} back="#/">
      ${payment === null && error === null && html`<${Loading} what=${t('Reading the payment…')} />`}
      ${payment && html`<${Shown} payment=${payment} />`}
      <${Refusal} error=${error} onAgain=${reload} />
      ${payment?.status === 'payout_failed' && html`<${WhatNow} payment=${payment} onSent=${reload} />`}
      ${payment?.status === 'completed' && html`<a class="button second" href=${`#/receipts/${payment.id}`}>${t('Receipt for the recipient')}</a>`}
      ${payment && mayBeContested(payment) && html`<a class="button second" href=${`#/contest/${payment.id}`}>${t('Report a problem')}</a>`}
      ${payment && html`<${InTheConsole} endToEndId=${payment.endToEndId} />`}
    <//>`;
}

/** A payment is contested once. An older server does not say whether it was, and takes no report. */
const mayBeContested = ({ status, contestationStatus }: PixPayment): boolean =>
  status === 'completed' && contestationStatus === null;

/** What became of a report. A status that this version does not know counts as open. */
const contested: Record<string, string> = {
  open: t('The recipient’s bank is looking into it'),
  accepted: t('Accepted: money comes back'),
  rejected: t('Rejected: nothing comes back'),
};

/** Says what became of a report, and what came back in reais. */
const contestationFacts = ({ contestationStatus: status, returnedAmountBrl: amount }: PixPayment): Fact[] => [
  { name: t('Your report'), value: status && (contested[status] ?? contested['open']) },
  { name: t('Came back from the recipient’s bank'), value: amount && formatBrl(amount) },
];

/** Offers the retry where it helps. The outcome of a retry without an answer can always be checked. */
function WhatNow({ payment, onSent }: { payment: PixPayment; onSent: () => void }): VNode {
  const [nowMs, setNow] = useState(Date.now());
  useInterval(() => setNow(Date.now()), 1_000);
  const advice = retryAdvice(payment, nowMs);
  const isUnanswered = retry.use()?.paymentId === payment.id;
  return html`
    ${advice === 'never' && html`<${DoNotRetry} payment=${payment} />`}
    ${
      advice === 'later' &&
      html`<${Note} kind="wait" title=${t('What happens next')}>
        <p>${t('You can send it again from {moment}.', { moment: momentOf(payment.payoutFailure?.retryFrom ?? '') })}</p>
      <//>`
    }
    ${(advice === 'now' || isUnanswered) && html`<${Retry} id=${payment.id} onSent=${onSent} />`}`;
}

/** Whether it helps to send the payment again: a retry pays the same amount to the same key. */
type RetryAdvice = 'now' | 'later' | 'never';

/** An older server gives no advice, and only says that a key is unknown. */
function retryAdvice(
  { payoutFailure, failureCode }: Pick<PixPayment, 'payoutFailure' | 'failureCode'>,
  nowMs: number,
): RetryAdvice {
  if (payoutFailure === undefined) return failureCode === 'recipient_unknown' ? 'never' : 'now';
  const { retryHelps, retryFrom } = payoutFailure;
  if (!retryHelps) return 'never';
  return retryFrom !== null && Date.parse(retryFrom) > nowMs ? 'later' : 'now';
}

const DoNotRetry = ({ payment: { failureCode } }: { payment: PixPayment }): VNode => html`
  <${Note} kind="wait" title=${t('What happens next')}>
    <p>${
      failureCode === 'recipient_unknown'
        ? t(
            'Do not send it again: it would go to the same key. Check the key with the recipient, and begin a new payment.',
          )
        : t('Sending it again would fail again.')
    }${' '}${t('Our support team can return this money to your balance a day after the payment failed. Tell them the payment id above.')}</p>
  <//>`;

/** "Send it again" begins a retry with a new key. A check sends the last retry again, under its key. */
function Retry({ id, onSent }: { id: string; onSent: () => void }): VNode {
  const isOpen = retry.use()?.paymentId === id;
  // The key is made inside the call, which a second press does not start.
  const call = useCall(async (isNew: boolean) => {
    if (isNew) retry.set({ paymentId: id, idempotencyKey: crypto.randomUUID() });
    try {
      await ponte.retryPayment(id, { idempotencyKey: retry.get()?.idempotencyKey ?? '' });
    } catch (error) {
      if (isDefinitive(error)) retry.set(null);
      throw error;
    }
    retry.set(null);
    onSent();
  });
  const again: Again = {
    label: t('Send it again'),
    text: t('This is refused while the last attempt is under way.'),
    onPress: () => call.run(true),
  };
  if (isOpen && !call.isBusy)
    return html`
      <${Unanswered} error=${call.error} what=${t('your last attempt')} onCheck=${() => call.run(false)} again=${again} />`;
  return html`
    <${Refusal} error=${call.error} onAgain=${onSent} />
    <${Button} isBusy=${call.isBusy} onPress=${again.onPress}>${again.label}<//>`;
}

function Shown({ payment }: { payment: PixPayment }): VNode {
  const { title, text, tone } = saidOfPayment(payment);
  return html`
    <div class=${`outcome ${tone}`}>
      <p class="sum">${formatBrl(payment.amountBrl)}</p>
      <p class="soft">${t('to {recipient}', { recipient: payment.recipientName ?? payment.pixKey })}</p>
      <div role="status" aria-live="polite">
        <p class="strong" data-status=${payment.status}>${title}</p>
        <p>${payment.failureReason ?? text}</p>
      </div>
    </div>
    <${Progress} status=${payment.status} />
    <${Facts} facts=${[
      ...useMoneyFacts(payment),
      ...contestationFacts(payment),
      ...costFacts(payment),
      { name: t('Recipient'), value: payment.recipientName },
      { name: nameOfKeyType(payment.pixKeyType), value: payment.pixKey, isCode: true },
      { name: t('Confirmed'), value: momentOf(payment.createdAt) },
      { name: t('End-to-end id'), value: payment.endToEndId, isCode: true, isCopied: true },
      { name: t('Receipt'), value: payment.voucherId, isCode: true },
      { name: t('Payment id'), value: payment.id, isCode: true, isCopied: true },
    ]} />`;
}

/** Says what the payment costs. An older server tells only the rate. */
function costFacts({ amountBrl, exchangeRate, sourceCurrency, sourceAmount, feeAmount }: PixPayment): Fact[] {
  if (sourceCurrency === undefined || sourceAmount === undefined || feeAmount === undefined)
    return [{ name: t('Rate'), value: typedOf(exchangeRate) }];
  const effectiveRate = effectiveRateOf(amountBrl, sourceAmount);
  return [
    { name: t('Cost'), value: formatMinor(sourceAmount, sourceCurrency) },
    { name: t('Our fee, included'), value: formatMinor(feeAmount, sourceCurrency) },
    { name: t('Rate'), value: formatRate(Number(exchangeRate), sourceCurrency) },
    { name: t('Rate with our fee'), value: formatRate(effectiveRate, sourceCurrency) },
  ];
}

/** Statuses in which the receipt says where the person's money is. */
const withMoneyFacts = new Set(['payout_failed', 'manual_review', 'refunded']);

/** Says what the payment still holds, what came back, and what support has settled. */
function useMoneyFacts({ transactionId, status, settlement }: PixPayment): Fact[] {
  const { value } = useLoaded<Transaction | null>(
    async () => (withMoneyFacts.has(status) ? ponte.transaction(transactionId) : null),
    `${transactionId} ${status} ${settlement?.at ?? ''}`,
  );
  const inHome = (amount: number | null): string | null =>
    value && amount !== null ? formatMinor(amount, value.sourceCurrency) : null;
  return [
    { name: t('Held for you'), value: inHome(value?.heldAmount ?? null) },
    {
      name: t('Returned to your balance'),
      value: status === 'refunded' ? inHome(value?.sourceAmount ?? null) : null,
    },
    {
      name: t('Settled by support'),
      value: settlement && `${formatMinor(settlement.amount, settlement.currency)}, ${dateOf(settlement.at)}`,
    },
  ];
}
