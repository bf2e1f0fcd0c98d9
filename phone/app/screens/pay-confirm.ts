// The recipient by name, the price, for as long as it is valid, and the confirmation of both.
import { type PixQuote, type PixRecipientLookup, PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { formatBrl, formatMinor, formatPercent, formatRate } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { sentenceOf } from '../parts/next-step.ts';
import { Loading, Note } from '../parts/note.ts';
import { Recipient } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { confirmed, type Draft, draft } from '../state/intents.ts';
import { price } from '../state/price.ts';
import { replaceWith } from '../state/route.ts';
import { notice } from '../state/session.ts';
import { useLookup } from '../state/use-lookup.ts';
import { useQuote } from '../state/use-quote.ts';
import { t } from '../texts/t.ts';
import { StartOver } from './start-over.ts';

export function PayConfirm(): VNode {
  const to = draft.use();
  if (to === null || to.amountBrl === null) return html`<${StartOver} />`;
  return html`<${Price} to=${to} amountBrl=${to.amountBrl} />`;
}

function Price({ to, amountBrl }: { to: Draft; amountBrl: string }): VNode {
  const { quote, error, secondsLeft, renewals, renew } = useQuote(Number(amountBrl));
  const { owner, error: unnamed, again } = useLookup(to);
  const said = notice.use();
  const confirm = ({ quoteId }: PixQuote): void => {
    const { pixKey, pixKeyType, recipientName } = to;
    notice.set(null);
    price.set(null);
    confirmed.set({
      quoteId,
      pixKey,
      pixKeyType,
      ...(recipientName !== null && { recipientName }),
      ...(owner && { lookupId: owner.lookupId }),
      ...(to.code && { codeId: to.code.codeId }),
    });
    replaceWith('/pay/sending');
  };
  const hasEnded = quote !== null && secondsLeft === 0;
  const isNamed = owner !== null || to.code !== undefined;
  const isPayable = isNamed || (unnamed !== null && !isUnknownKey(unnamed));
  return html`
    <${Screen} title=${t('Confirm')} back=${to.isAmountFixed ? '#/pay' : '#/pay/amount'}>
      <${Recipient} ...${to} recipientName=${owner?.recipientName ?? to.recipientName} />
      ${owner && html`<${Owner} owner=${owner} />`}
      ${to.code && html`<${Facts} facts=${[{ name: t('Institution'), value: to.code.institution }]} />`}
      ${!isNamed && unnamed === null && html`<${Loading} what=${t('Looking up the recipient…')} />`}
      <${Unnamed} error=${unnamed} onAgain=${again} />
      <p class="gets"><span class="soft">${t('gets')}</span> <span class="sum">${formatBrl(amountBrl)}</span></p>
      <div role="status">
        ${said !== null && html`<${Note} kind="wait" title=${said} />`}
        ${said === null && renewals > 0 && html`<p class="soft">${t('The price was renewed.')}</p>`}
      </div>
      ${quote === null && error === null && html`<${Loading} what=${t('Asking for the price…')} />`}
      <${Refusal} error=${error} onAgain=${renew} />
      ${quote && html`<${Offer} quote=${quote} secondsLeft=${secondsLeft} />`}
      <div role="status">${quote?.sufficientFunds === false && !hasEnded && html`<${NotEnough} />`}</div>
      ${quote && !hasEnded && isPayable && html`<${Button} onPress=${() => confirm(quote)}>${t('Pay {cost}', { cost: costOf(quote) })}<//>`}
      ${hasEnded && html`<${Button} onPress=${renew}>${t('Get a new price')}<//>`}
      <a class="button second" href="#/" onClick=${() => price.set(null)}>${t('Cancel')}</a>
    <//>`;
}

/** Names the recipient as the directory of PIX does. */
const Owner = ({ owner }: { owner: PixRecipientLookup }): VNode => html`
  <${Facts} facts=${[
    { name: t('Tax number'), value: owner.taxIdMasked },
    { name: t('Institution'), value: owner.institution },
  ]} />`;

const isUnknownKey = (error: unknown): boolean => error instanceof PonteError && error.is('pix_key_unknown');

/** Says why there is no name. Only a key without an account cannot be paid. */
function Unnamed({ error, onAgain }: { error: unknown; onAgain: () => void }): VNode {
  if (error === null || isUnknownKey(error)) return html`<${Refusal} error=${error} />`;
  return html`
    <div role="alert">
      <${Note} kind="wait" title=${t('We could not check the name')}>
        <p>${sentenceOf(error)} ${t('You can still pay. Compare the key with the recipient first.')}</p>
        <${Button} kind="second" onPress=${onAgain}>${t('Check the name again')}<//>
      <//>
    </div>`;
}

/** A hint from the balance that was read last. The person can still pay, because money may have arrived: the API decides. */
const NotEnough = (): VNode => html`
  <${Note} kind="wait" title=${t('Not enough money')}>
    <p>${t('Your balance does not cover this. Choose a smaller amount, or add money first.')}</p>
    <a class="button second" href="#/add-money">${t('Add money')}</a>
  <//>`;

const costOf = ({ sourceAmount, sourceCurrency }: PixQuote): string =>
  formatMinor(sourceAmount, sourceCurrency);

/** Formats the fee as `£0.21 (1 %)`. An older server tells only the percentage. */
function feeIn({ feeAmount, sourceCurrency, serviceSpreadBps }: PixQuote): string {
  const percent = formatPercent(serviceSpreadBps);
  return feeAmount === undefined ? percent : `${formatMinor(feeAmount, sourceCurrency)} (${percent})`;
}

const Offer = ({ quote, secondsLeft }: { quote: PixQuote; secondsLeft: number }): VNode => html`
  <${Facts} facts=${[
    { name: t('You pay'), value: costOf(quote) },
    { name: t('Our fee, included'), value: feeIn(quote) },
    { name: t('Rate'), value: formatRate(quote.rate, quote.sourceCurrency) },
    {
      name: t('Rate with our fee'),
      value: quote.effectiveRate === undefined ? null : formatRate(quote.effectiveRate, quote.sourceCurrency),
    },
  ]} />
  <div class="countdown">
    <progress max="60" value=${secondsLeft} aria-label=${t('How long the price holds')}></progress>
    <p role="timer">${secondsLeft > 0 ? t('This price holds for {seconds} s', { seconds: secondsLeft }) : t('This price has ended')}</p>
  </div>`;
