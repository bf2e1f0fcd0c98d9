// The form of the person's own bank account. The API shows saved details masked, so the person enters every field again.
import type { BankDetailsRequest, HomeCurrency } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ENTRIES, faultsIn, faultsOf, requestOf, takesDetailsOf } from '../bank-entries.ts';
import { Button } from '../parts/button.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { meStore } from '../state/me.ts';
import { go } from '../state/route.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

export function BankDetailsScreen(): VNode {
  const currency = meStore.use().me?.user.homeCurrency ?? 'GBP';
  return html`
    <${Screen} title=${t('Bank details')} back="#/withdraw">
      ${
        takesDetailsOf(currency)
          ? html`<${Account} currency=${currency} />`
          : html`<${Note} kind="plain" title=${t('Please update the app')}><p>${t('This version takes no account in {currency}.', { currency })}</p><//>`
      }
    <//>`;
}

function Account({ currency }: { currency: HomeCurrency }): VNode {
  const entries = ENTRIES[currency];
  const [values, setValues] = useState<Record<string, string>>({});
  const [faults, setFaults] = useState<Record<string, string>>({});
  const call = useCall(async (request: BankDetailsRequest) => {
    await ponte.saveBankDetails(request);
    go('/withdraw');
  });
  const send = (): boolean => {
    const found = faultsIn(currency, values);
    const isGood = Object.keys(found).length === 0;
    setFaults(found);
    if (isGood) call.run(requestOf(currency, values));
    return isGood;
  };
  const shown = { ...faultsOf(call.error), ...faults };
  return html`
    <p class="soft">${t('Withdrawals go to this account. It has to be your own.')}</p>
    <${Form} onSend=${send}>
      ${Object.entries(entries).map(
        ([name, { label, input }]) => html`
      <${Field} key=${name} label=${label} name=${name} value=${values[name] ?? ''} fault=${shown[name]}
        input=${{ autocomplete: 'off', spellcheck: false, ...input }}
        onValue=${(value: string) => setValues((before) => ({ ...before, [name]: value }))} />`,
      )}
      <${Refusal} error=${call.error} />
      <${Button} isBusy=${call.isBusy}>${t('Save')}<//>
    <//>`;
}
