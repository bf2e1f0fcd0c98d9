// The choice of the home currency, which a person makes once.
import type { HomeCurrency } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.ts';
import { Form } from '../parts/form.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { refreshMe } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

const CHOICES: { currency: HomeCurrency; sign: string; name: string; text: string }[] = [
  { currency: 'GBP', sign: '£', name: t('Pounds'), text: t('A British account, with FPS') },
  { currency: 'EUR', sign: '€', name: t('Euros'), text: t('A European account, with SEPA') },
];

export function CurrencyScreen(): VNode {
  const [homeCurrency, setCurrency] = useState<HomeCurrency>('GBP');
  const call = useCall(async () => {
    await ponte.updateMe({ homeCurrency });
    await refreshMe();
    replaceWith('/');
  });
  const send = (): boolean => {
    call.run();
    return true;
  };
  return html`
    <${Screen} title=${t('Your currency')}>
      <p class="soft">${t('Your balance will be in this currency. It cannot be changed later.')}</p>
      <${Form} onSend=${send}>
        <fieldset class="choices">
          <legend class="unseen">${t('Home currency')}</legend>
          ${CHOICES.map(
            ({ currency, sign, name, text }) => html`
          <label key=${currency} class="choice">
            <input type="radio" name="currency" value=${currency} checked=${currency === homeCurrency}
              onChange=${() => setCurrency(currency)} />
            <span class="disc big" aria-hidden="true">${sign}</span>
            <span><span class="strong">${name}</span><span class="soft">${text}</span></span>
          </label>`,
          )}
        </fieldset>
        <${Refusal} error=${call.error} onAgain=${call.run} />
        <${Button} isBusy=${call.isBusy}>${t(homeCurrency === 'GBP' ? 'Choose pounds' : 'Choose euros')}<//>
      <//>
    <//>`;
}
