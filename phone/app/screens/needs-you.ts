// The notes on the home screen about what needs the person: the identity check, a running price, payments that did not arrive or
// are under review, and missing bank details.
import type { KycState, Me, PixPayment } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatBrl } from '../money.ts';
import { Note } from '../parts/note.ts';
import { saidOfPayment } from '../parts/statuses.ts';
import { failureOf } from '../parts/verification-failure.ts';
import { draft } from '../state/intents.ts';
import { price } from '../state/price.ts';
import { ponte } from '../state/session.ts';
import { take } from '../state/take.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

const REFRESH_MS = 5_000;
/** Only the newest payments are searched. */
const SEARCHED = 20;
/** The rest is in the history. */
const SHOWN = 3;

export const NeedsYou = ({ me }: { me: Me }): VNode => html`
  <div class="needs">
    <${Verification} me=${me} />
    <${RunningPrice} />
    <${OpenPayments} />
    <${MissingBankDetails} me=${me} />
  </div>`;

function Verification({ me: { kyc, deposit } }: { me: Me }): VNode | null {
  if (deposit !== null) return null;
  if (kyc.status === 'completed')
    return html`<${Note} kind="wait" title=${t('Opening your account')}><p>${t('You are verified. This takes a moment.')}</p><//>`;
  if (kyc.status === 'failed') return html`<${FailedVerification} />`;
  return html`
    <${Note} kind="plain" title=${t('One step to go')}>
      <p>${t('Verify your identity, and your account opens.')}</p>
      <a class="button second" href="#/verify">${t('Verify my identity')}</a>
    <//>`;
}

function FailedVerification(): VNode {
  const { value: state } = useLoaded<KycState>(() => ponte.verification());
  const failure = state?.status === 'failed' ? failureOf(state) : null;
  return html`
    <${Note} kind="bad" title=${t('We could not verify you')}>
      ${failure && html`<p>${failure.text}</p>`}
      <a class="button second" href="#/verify">${failure?.mayTryAgain ? t('Verify again') : t('What this means')}</a>
    <//>`;
}

/** Leads back to a price that the person has left and that can still be confirmed. */
function RunningPrice(): VNode | null {
  const to = draft.use();
  const kept = price.use();
  const [nowMs, setNow] = useState(Date.now());
  useInterval(() => setNow(Date.now()), 1_000);
  if (to === null || to.amountBrl === null || kept?.amountBrl !== Number(to.amountBrl)) return null;
  const secondsLeft = Math.ceil((kept.endsAtMs - nowMs) / 1_000);
  if (secondsLeft <= 0) return null;
  return html`
    <${Note} kind="wait" title=${t('{money} to {recipient}', { money: formatBrl(to.amountBrl), recipient: to.recipientName ?? to.pixKey })}>
      <p>${t('You have not confirmed this payment. Its price holds for {seconds} s.', { seconds: secondsLeft })}</p>
      <a class="button second" href="#/pay/confirm">${t('Continue the payment')}</a>
    <//>`;
}

function OpenPayments(): VNode {
  const { value: payments, reload } = useLoaded(
    async () => (await take(ponte.payments({ pageSize: SEARCHED }), SEARCHED)).items,
  );
  useInterval(reload, REFRESH_MS);
  const open = payments?.filter(isOpen) ?? [];
  return html`
    ${open.slice(0, SHOWN).map((one) => html`<${OpenPayment} key=${one.id} payment=${one} />`)}
    ${open.length > SHOWN && html`<a class="more" href="#/history">${t('{count} more in your history', { count: open.length - SHOWN })}</a>`}`;
}

/** Whether a payment waits for the person or for support. Support records a settlement once the money is back. */
const isOpen = ({ status, settlement }: PixPayment): boolean =>
  settlement === null && (status === 'payout_failed' || status === 'manual_review');

function OpenPayment({ payment }: { payment: PixPayment }): VNode {
  const { id, status, amountBrl, recipientName, pixKey, failureCode } = payment;
  const { title, text } = saidOfPayment(payment);
  return html`
    <${Note} kind=${status === 'manual_review' ? 'wait' : 'bad'} title=${`${title}: ${t('{money} to {recipient}', { money: formatBrl(amountBrl), recipient: recipientName ?? pixKey })}`}>
      <p>${text}${failureCode === 'recipient_unknown' && ` ${t('Do not send it again: check the key with the recipient.')}`}</p>
      <a class="more" href=${`#/payments/${id}`}>${t('See the payment')}</a>
    <//>`;
}

function MissingBankDetails({ me: { balance } }: { me: Me }): VNode | null {
  const isRich = balance !== null && balance.amount > 0;
  const { value: saved } = useLoaded(async () => (isRich ? ponte.bankDetails() : null), String(isRich));
  if (!isRich || !saved || saved.some(({ currency }) => currency === balance.currency)) return null;
  return html`
    <${Note} kind="plain" title=${t('Where should withdrawals go?')}>
      <p>${t('Save your bank account once. Then you can take out your money.')}</p>
      <a class="button second" href="#/bank-details">${t('Add bank details')}</a>
    <//>`;
}
