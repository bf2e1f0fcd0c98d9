// The price, for as long as it is valid, and its confirmation.
import type { PixQuote } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { formatBrl, formatMinor, formatRate } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Loading, Note } from '../parts/note.ts';
import { Recipient } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { confirmed, type Draft, draft } from '../state/intents.ts';
import { price } from '../state/price.ts';
import { replaceWith } from '../state/route.ts';
import { notice } from '../state/session.ts';
import { useQuote } from '../state/use-quote.ts';
import { StartOver } from './start-over.ts';

export function PayConfirm(): VNode {
  const to = draft.use();
  if (to === null || to.amountBrl === null) return html`<${StartOver} />`;
  return html`<${Price} to=${to} amountBrl=${to.amountBrl} />`;
}

function Price({ to, amountBrl }: { to: Draft; amountBrl: string }): VNode {
  const { quote, error, secondsLeft, renewals, renew } = useQuote(Number(amountBrl));
  const said = notice.use();
  const confirm = ({ quoteId }: PixQuote): void => {
    const { pixKey, pixKeyType, recipientName } = to;
    notice.set(null);
    price.set(null);
    confirmed.set({ quoteId, pixKey, pixKeyType, ...(recipientName !== null && { recipientName }) });
    replaceWith('/pay/sending');
  };
  const hasEnded = quote !== null && secondsLeft === 0;
  return html`
    <${Screen} title="Confirm" back=${to.isAmountFixed ? '#/pay' : '#/pay/amount'}>
      <${Recipient} ...${to} />
      <p class="gets"><span class="soft">gets</span> <span class="sum">${formatBrl(amountBrl)}</span></p>
      <div role="status">
        ${said !== null && html`<${Note} kind="wait" title=${said} />`}
        ${said === null && renewals > 0 && html`<p class="soft">The price was renewed.</p>`}
      </div>
      ${quote === null && error === null && html`<${Loading} what="Asking for the price…" />`}
      <${Refusal} error=${error} onAgain=${renew} />
      ${quote && html`<${Offer} quote=${quote} secondsLeft=${secondsLeft} />`}
      <div role="status">${quote?.sufficientFunds === false && !hasEnded && html`<${NotEnough} />`}</div>
      ${quote && !hasEnded && html`<${Button} onPress=${() => confirm(quote)}>Pay ${costOf(quote)}<//>`}
      ${hasEnded && html`<${Button} onPress=${renew}>Get a new price<//>`}
      <a class="button second" href="#/" onClick=${() => price.set(null)}>Cancel</a>
    <//>`;
}

/** A hint from the balance that was read last. The person can still pay, because money may have arrived: the API decides. */
const NotEnough = (): VNode => html`
  <${Note} kind="wait" title="Not enough money">
    <p>Your balance does not cover this. Choose a smaller amount, or add money first.</p>
    <a class="button second" href="#/add-money">Add money</a>
  <//>`;

const costOf = ({ sourceAmount, sourceCurrency }: PixQuote): string =>
  formatMinor(sourceAmount, sourceCurrency);

/** Formats the fee as `£0.21 (1 %)`. An older server tells only the percentage. */
function feeIn({ feeAmount, sourceCurrency, serviceSpreadBps }: PixQuote): string {
  const percent = `${serviceSpreadBps / 100} %`;
  return feeAmount === undefined ? percent : `${formatMinor(feeAmount, sourceCurrency)} (${percent})`;
}

const Offer = ({ quote, secondsLeft }: { quote: PixQuote; secondsLeft: number }): VNode => html`
  <${Facts} facts=${[
    { name: 'You pay', value: costOf(quote) },
    { name: 'Our fee, included', value: feeIn(quote) },
    { name: 'Rate', value: formatRate(quote.rate, quote.sourceCurrency) },
    {
      name: 'Rate with our fee',
      value: quote.effectiveRate === undefined ? null : formatRate(quote.effectiveRate, quote.sourceCurrency),
    },
  ]} />
  <div class="countdown">
    <progress max="60" value=${secondsLeft} aria-label="How long the price holds"></progress>
    <p role="timer">${secondsLeft > 0 ? `This price holds for ${secondsLeft} s` : 'This price has ended'}</p>
  </div>`;
