// The form of a withdrawal to the person's own bank: the amount, the bank account, and what the bank says about its name.
import type { BankDetails } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatMinor, readAmount, typedOf } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Destination } from '../parts/destination.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { NameChecked } from '../parts/name-check.ts';
import { InTheSandbox, Loading, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { confirmWithdrawal, isRepeatedWithdrawal } from '../state/intents.ts';
import { meStore } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte } from '../state/session.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { type NameCheck, useNameCheck } from '../state/use-name-check.ts';
import { t } from '../texts/t.ts';

export function Withdraw(): VNode {
  const { me } = meStore.use();
  const { value: saved, error, reload } = useLoaded(() => ponte.bankDetails());
  const to = saved?.find(({ currency }) => currency === me?.user.homeCurrency);
  // The bank is asked shortly after the details are saved.
  useInterval(() => to?.validationStatus === null && reload(), 2_000);
  return html`
    <${Screen} title=${t('Withdraw')} back="#/">
      ${saved === null && error === null && html`<${Loading} what=${t('Reading your bank details…')} />`}
      <${Refusal} error=${error} onAgain=${reload} />
      ${
        saved &&
        !to &&
        html`
      <${Note} kind="plain" title=${t('Where should it go?')}><p>${t('Save your bank account first. You do this once.')}</p><//>
      <a class="button main" href="#/bank-details">${t('Add bank details')}</a>`
      }
      ${to && html`<${Amount} to=${to} onSaved=${reload} />`}
    <//>`;
}

function Amount({ to, onSaved }: { to: BankDetails; onSaved: () => void }): VNode {
  const { me } = meStore.use();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [amount, setAmount] = useState<number | null>(null);
  const [isRepeated, setRepeated] = useState(false);
  const check = useNameCheck(to, amount !== null);
  const send = (): boolean => {
    const minor = readAmount(text);
    setFault(
      minor === null ? t('Please give an amount, such as {example}.', { example: typedOf('100.00') }) : null,
    );
    setAmount(minor);
    return minor !== null;
  };
  const change = (): void => {
    setAmount(null);
    setRepeated(false);
  };
  const confirm = (minor: number): void => {
    if (!isRepeated && isRepeatedWithdrawal(minor, to)) return setRepeated(true);
    confirmWithdrawal(minor, to, check.acceptedCheckId);
    replaceWith('/withdraw/sending');
  };
  const balance = me?.balance;
  if (amount !== null)
    return html`
      <p class="gets"><span class="soft">${t('to your bank')}</span> <span class="sum">${formatMinor(amount, to.currency)}</span></p>
      <${Destination} to=${to} />
      <${NameChecked} to=${to} check=${check} onSaved=${onSaved} />
      <div role="status">${isRepeated && html`<${JustWithdrew} amount=${formatMinor(amount, to.currency)} />`}</div>
      ${
        isAnswered(check) &&
        html`
      <${Button} onPress=${() => confirm(amount)}>
        ${isRepeated ? t('Withdraw again') : t('Withdraw {money}', { money: formatMinor(amount, to.currency) })}
      <//>`
      }
      <${Button} kind="second" onPress=${change}>${t('Change')}<//>`;
  return html`
    <${Form} onSend=${send}>
      <${Field} label=${t('Amount')} name="amount" isLarge=${true} prefix=${to.currency === 'GBP' ? '£' : '€'} value=${text}
        onValue=${setText} fault=${fault} input=${{ inputmode: 'decimal', autocomplete: 'off', placeholder: typedOf('0.00') }}
        hint=${balance ? t('You have {balance}', { balance: formatMinor(balance.amount, balance.currency) }) : undefined} />
      <${Button}>${t('Continue')}<//>
    <//>
    <${Destination} to=${to} />
    <a class="more" href="#/bank-details">${t('Change the bank account')}</a>
    <${InTheSandbox}>
      <p class="soft">${t('Amounts that decide how it ends: {failing} fails, {returning} comes back later.', { failing: typedOf('13.13'), returning: typedOf('14.14') })}</p>
      <a class="more" href="/">${t('All of them')}</a>
    <//>`;
}

/** Without an answer of the bank, the person can go on as well. */
const isAnswered = ({ result, error }: NameCheck): boolean => result !== null || error !== null;

const JustWithdrew = ({ amount }: { amount: string }): VNode => html`
  <${Note} kind="wait" title=${t('You just withdrew {money}', { money: amount })}>
    <p>${t('You confirmed it less than a minute ago, perhaps in another tab. Withdraw again?')}</p>
    <a class="more" href="#/history">${t('See your history')}</a>
  <//>`;
