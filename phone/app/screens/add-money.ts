// The bank details for deposits, and in the sandbox a bank that sends money.
import type { Me } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { decimalOf, formatMinor, readAmount, typedOf } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { InTheSandbox, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { consoleAddressOf, sendDeposit } from '../sandbox.ts';
import { meStore, refreshMe } from '../state/me.ts';
import { useCall } from '../state/use-call.ts';
import { useInterval } from '../state/use-interval.ts';
import { t } from '../texts/t.ts';

export function AddMoney(): VNode {
  const { me } = meStore.use();
  useEffect(() => void refreshMe(), []);
  const deposit = me?.deposit ?? null;
  return html`
    <${Screen} title=${t('Add money')} back="#/">
      ${
        deposit === null
          ? html`
      <${Note} kind="plain" title=${t('Your account is not open yet')}>
        <a class="button second" href="#/verify">${t('See how far it is')}</a>
      <//>`
          : html`<${Instructions} deposit=${deposit} /><${FromTheSandbox} deposit=${deposit} />`
      }
    <//>`;
}

type Deposit = NonNullable<Me['deposit']>;

const Instructions = ({ deposit }: { deposit: Deposit }): VNode => html`
  <p class="soft">${t(deposit.currency === 'GBP' ? 'Send pounds to this account from your bank.' : 'Send euros to this account from your bank.')} ${t('It is in your own name.')}</p>
  <${Facts} facts=${[
    { name: t('Name'), value: deposit.accountHolderName, isCopied: true },
    { name: t('Sort code'), value: deposit.sortCode, isCopied: true, isCode: true },
    { name: t('Account number'), value: deposit.accountNumber, isCopied: true, isCode: true },
    { name: 'IBAN', value: deposit.iban, isCopied: true, isCode: true },
    { name: 'BIC', value: deposit.bic, isCopied: true, isCode: true },
  ]} />`;

function FromTheSandbox({ deposit }: { deposit: Deposit }): VNode {
  const { me } = meStore.use();
  const [text, setText] = useState(typedOf('500.00'));
  const [fault, setFault] = useState<string | null>(null);
  /** The balance before the money was sent, while it has not arrived. */
  const [before, setBefore] = useState<number | null>(null);
  const amount = me?.balance?.amount ?? 0;
  const number = deposit.accountNumber ?? deposit.iban;
  useInterval(() => before === amount && void refreshMe(), 1_000);
  const call = useCall(async (decimal: string) => {
    setBefore(amount);
    await sendDeposit(deposit, decimal);
    await refreshMe();
  });
  const send = (): boolean => {
    const minor = readAmount(text);
    setFault(
      minor === null ? t('Please give an amount, such as {example}.', { example: typedOf('500.00') }) : null,
    );
    if (minor !== null) call.run(decimalOf(minor));
    return minor !== null;
  };
  return html`
    <${InTheSandbox}>
      <p class="soft">${t('There is no bank. This button is one.')}</p>
      <${Form} onSend=${send}>
        <${Field} label=${t('Amount')} name="amount" value=${text} onValue=${setText} fault=${fault}
          prefix=${deposit.currency === 'GBP' ? '£' : '€'} input=${{ inputmode: 'decimal', autocomplete: 'off' }} />
        <${Button} kind="second" isBusy=${call.isBusy}>${t('Make a deposit')}<//>
      <//>
      <${Refusal} error=${call.error} />
      ${number && html`<a class="more" href=${consoleAddressOf(number)}>${t('See your account in the console')}</a>`}
      <p role="status">
        ${before !== null && call.error === null && (before === amount ? t('It is on its way…') : html`<span class="tone good">${t('It has arrived.')}</span> ${t('Your balance is {balance}.', { balance: formatMinor(amount, deposit.currency) })}`)}
      </p>
    <//>
    ${before !== null && before !== amount && html`<a class="button main" href="#/">${t('See your balance')}</a>`}`;
}
