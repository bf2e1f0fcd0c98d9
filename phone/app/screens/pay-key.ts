// Chooses the recipient by a typed PIX key. A key that cannot be right stays here, before a price is asked for.
import { canonicalPixKey } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { completedMobile } from '../mobile-number.ts';
import { Button } from '../parts/button.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { InTheSandbox } from '../parts/note.ts';
import type { Draft } from '../state/intents.ts';
import { t } from '../texts/t.ts';
import { proceed } from './pay-proceed.ts';

type KeyType = { type: Draft['pixKeyType']; label: string; hint: string; fault: string; inputmode: string };

const CPF: KeyType = {
  type: 'cpf',
  label: 'CPF',
  hint: t('A person’s tax number: 11 digits'),
  fault: t('This is not a CPF. Please check its digits.'),
  inputmode: 'numeric',
};
const TYPES: KeyType[] = [
  CPF,
  {
    type: 'cnpj',
    label: 'CNPJ',
    hint: t('A company’s tax number: 14 characters'),
    fault: t('This is not a CNPJ. Please check its characters.'),
    inputmode: 'text',
  },
  {
    type: 'phone',
    label: t('Phone'),
    hint: t('With its country code: +55 …'),
    fault: t('This is not a phone number with its country code.'),
    inputmode: 'tel',
  },
  {
    type: 'email',
    label: t('E-mail'),
    hint: t('As the recipient registered it'),
    fault: t('This is not an e-mail address.'),
    inputmode: 'email',
  },
  {
    type: 'evp',
    label: t('Random key'),
    hint: t('32 characters and four dashes'),
    fault: t('This is not a random key. Copy it again.'),
    inputmode: 'text',
  },
];

export function PayKey(): VNode {
  const [pixKeyType, setType] = useState<Draft['pixKeyType']>('cpf');
  const [pixKey, setKey] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const chosen = TYPES.find(({ type }) => type === pixKeyType) ?? CPF;
  const completed =
    fault !== null && pixKeyType === 'phone'
      ? completedMobile(canonicalPixKey('phone', `+55${pixKey}`))
      : null;
  const choose = (type: Draft['pixKeyType']): void => {
    setType(type);
    setFault(null);
  };
  const complete = (): void => {
    setKey(completed ?? pixKey);
    setFault(null);
  };
  const send = (): boolean => {
    // The person then sees the key as it will be paid.
    const canonical = canonicalPixKey(pixKeyType, pixKey);
    setFault(canonical === null ? faultOf(pixKey.trim(), chosen) : null);
    if (canonical === null) return false;
    proceed({ pixKey: canonical, pixKeyType, recipientName: null, amountBrl: null, isAmountFixed: false });
    return true;
  };
  return html`
    <${Form} onSend=${send}>
      <div class="field">
        <label for="type">${t('Kind of key')}</label>
        <div class="box">
          <select id="type" value=${pixKeyType}
            onChange=${(event: Event) => choose((event.currentTarget as HTMLSelectElement).value as Draft['pixKeyType'])}>
            ${TYPES.map(({ type, label }) => html`<option key=${type} value=${type}>${label}</option>`)}
          </select>
        </div>
      </div>
      <${Field} label=${t('PIX key')} name="key" value=${pixKey} onValue=${setKey} fault=${fault} hint=${chosen.hint}
        input=${{ inputmode: chosen.inputmode, autocomplete: 'off', autocapitalize: 'none', spellcheck: false }} />
      ${completed && html`<${Button} kind="second" onPress=${complete}>${t('Use {number}', { number: completed })}<//>`}
      <${Button}>${t('Continue')}<//>
    <//>
    <${InTheSandbox}>
      <p class="soft">${t('Any key is paid, but some decide how it ends. This one fails, and can be sent again:')} <code>recover@pix.example</code></p>
      <a class="more" href="/">${t('All of them')}</a>
    <//>`;
}

const faultOf = (key: string, { fault }: KeyType): string => (key === '' ? t('Please give the key.') : fault);
