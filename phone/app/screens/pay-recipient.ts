// Lets the person choose the recipient: by a PIX code, by a key, or from those who were paid before.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Screen } from '../parts/screen.ts';
import { t } from '../texts/t.ts';
import { PayAgain } from './pay-again.ts';
import { PayCode } from './pay-code.ts';
import { PayKey } from './pay-key.ts';

type Way = 'code' | 'key' | 'again';

const screens = { code: PayCode, key: PayKey, again: PayAgain };

export function PayRecipient(): VNode {
  const [way, setWay] = useState<Way>('code');
  const choice = (name: Way, label: string) => html`
    <label>
      <input type="radio" name="way" checked=${way === name} onChange=${() => setWay(name)} /><span>${label}</span>
    </label>`;
  return html`
    <${Screen} title=${t('Pay')} back="#/">
      <fieldset class="segments">
        <legend class="unseen">${t('How to name the recipient')}</legend>
        ${choice('code', t('PIX code'))}${choice('key', t('PIX key'))}${choice('again', t('Paid before'))}
      </fieldset>
      <${screens[way]} />
    <//>`;
}
