// The form for the amount in reais that the recipient gets.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { decimalOf, formatMinor, readAmount, typedOf } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Recipient } from '../parts/recipient.ts';
import { Screen } from '../parts/screen.ts';
import { draft } from '../state/intents.ts';
import { meStore } from '../state/me.ts';
import { go } from '../state/route.ts';
import { t } from '../texts/t.ts';
import { StartOver } from './start-over.ts';

export function PayAmount(): VNode {
  const to = draft.use();
  const { me } = meStore.use();
  const [text, setText] = useState(typedOf(to?.amountBrl ?? ''));
  const [fault, setFault] = useState<string | null>(null);
  if (to === null) return html`<${StartOver} />`;
  const send = (): boolean => {
    const minor = readAmount(text);
    setFault(
      minor === null ? t('Please give an amount, such as {example}.', { example: typedOf('25.00') }) : null,
    );
    if (minor === null) return false;
    draft.set({ ...to, amountBrl: decimalOf(minor) });
    go('/pay/confirm');
    return true;
  };
  const balance = me?.balance;
  return html`
    <${Screen} title=${t('How much?')} back="#/pay">
      <${Recipient} ...${to} />
      <${Form} onSend=${send}>
        <${Field} label=${t('The recipient gets')} name="amount" isLarge=${true} prefix="R$" value=${text} onValue=${setText}
          fault=${fault} hint=${balance ? t('You have {balance}', { balance: formatMinor(balance.amount, balance.currency) }) : undefined}
          input=${{ inputmode: 'decimal', autocomplete: 'off', placeholder: typedOf('0.00') }} />
        <${Button}>${t('See the price')}<//>
      <//>
    <//>`;
}
