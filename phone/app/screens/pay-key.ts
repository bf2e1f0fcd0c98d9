// Chooses the recipient by a typed PIX key.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { InTheSandbox } from '../parts/note.ts';
import type { Draft } from '../state/intents.ts';
import { proceed } from './pay-proceed.ts';

const TYPES: { type: Draft['pixKeyType']; label: string; hint: string; inputmode: string }[] = [
  { type: 'cpf', label: 'CPF', hint: 'A person’s tax number: 11 digits', inputmode: 'numeric' },
  { type: 'cnpj', label: 'CNPJ', hint: 'A company’s tax number: 14 characters', inputmode: 'text' },
  { type: 'phone', label: 'Phone', hint: 'With its country code: +55 …', inputmode: 'tel' },
  { type: 'email', label: 'E-mail', hint: 'As the recipient registered it', inputmode: 'email' },
  { type: 'evp', label: 'Random key', hint: '32 characters and four dashes', inputmode: 'text' },
];

export function PayKey(): VNode {
  const [pixKeyType, setType] = useState<Draft['pixKeyType']>('cpf');
  const [pixKey, setKey] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const chosen = TYPES.find(({ type }) => type === pixKeyType);
  const send = (): boolean => {
    const key = pixKey.trim();
    setFault(key === '' ? 'Please give the key.' : null);
    if (key !== '')
      proceed({ pixKey: key, pixKeyType, recipientName: null, amountBrl: null, isAmountFixed: false });
    return key !== '';
  };
  return html`
    <${Form} onSend=${send}>
      <div class="field">
        <label for="type">Kind of key</label>
        <div class="box">
          <select id="type" value=${pixKeyType}
            onChange=${(event: Event) => setType((event.currentTarget as HTMLSelectElement).value as Draft['pixKeyType'])}>
            ${TYPES.map(({ type, label }) => html`<option key=${type} value=${type}>${label}</option>`)}
          </select>
        </div>
      </div>
      <${Field} label="PIX key" name="key" value=${pixKey} onValue=${setKey} fault=${fault} hint=${chosen?.hint}
        input=${{ inputmode: chosen?.inputmode, autocomplete: 'off', autocapitalize: 'none', spellcheck: false }} />
      <${Button}>Continue<//>
    <//>
    <${InTheSandbox}>
      <p class="soft">Any key is paid, but some decide how it ends: <code>recover@pix.example</code> fails and can be sent
        again.${' '}<a href="/">All of them</a></p>
    <//>`;
}
