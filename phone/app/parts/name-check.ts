// Shows what the bank says about the name on the account, before a withdrawal, and what the person can do about it.
import { type BankDetails, type BankDetailsRequest, PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import type { NameCheck } from '../state/use-name-check.ts';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';
import { sentenceOf } from './next-step.ts';
import { Loading, Note } from './note.ts';
import { Refusal } from './refusal.ts';

type Props = { to: BankDetails; check: NameCheck; onSaved: () => void };

export function NameChecked({ to, check, onSaved }: Props): VNode | null {
  const { result, error, again } = check;
  if (result === null && error === null)
    return html`<${Loading} what=${t('Asking your bank about the name…')} />`;
  return html`<div role="status">${result === null ? unchecked(error, again) : answer(to, result, again, onSaved)}</div>`;
}

type Result = NonNullable<NameCheck['result']>;

function answer(
  to: BankDetails,
  { validationStatus, suggestedName }: Result,
  again: () => void,
  onSaved: () => void,
): VNode {
  switch (validationStatus) {
    case 'match':
      return html`<p class="soft">${t('Your bank says that the name is right.')}</p>`;
    case 'close_match':
      return suggestedName === null
        ? html`
      <${Note} kind="wait" title=${t('The name is spelt a little differently')}>
        <p>${t('Compare it with what your bank has written to you.')}</p>
        ${change()}
      <//>`
        : html`<${Suggested} to=${to} name=${suggestedName} onSaved=${onSaved} />`;
    case 'no_match':
      return html`
      <${Note} kind="bad" title=${t('The name does not match')}>
        <p>${t('Your bank says that this name and this account do not belong together. The money may be refused, or come back.')}</p>
        ${change()}
      <//>`;
    case 'unavailable':
      return html`
      <${Note} kind="wait" title=${t('We could not check the name')}>
        <p>${t('Your bank did not answer.')} ${mayGoOn()}</p>
        <${Button} kind="second" onPress=${again}>${t('Check the name again')}<//>
      <//>`;
    default:
      return notPossible();
  }
}

const change = (): VNode => html`<a class="more" href="#/bank-details">${t('Change the bank account')}</a>`;

const mayGoOn = (): string => t('You can still withdraw. Make sure that the account is your own.');

const notPossible = (): VNode => html`
  <${Note} kind="wait" title=${t('This name cannot be checked')}>
    <p>${mayGoOn()}</p>
  <//>`;

/** Says why there is no answer. The person can always go on: the service decides. */
function unchecked(error: unknown, again: () => void): VNode {
  if (error instanceof PonteError && error.is('not_offered')) return notPossible();
  return html`
  <${Note} kind="wait" title=${t('We could not check the name')}>
    <p>${sentenceOf(error)} ${mayGoOn()}</p>
    <${Button} kind="second" onPress=${again}>${t('Check the name again')}<//>
  <//>`;
}

/** Offers the name that the bank has. Taking it saves the same account again under that name. */
function Suggested({ to, name, onSaved }: { to: BankDetails; name: string; onSaved: () => void }): VNode {
  const call = useCall(async () => {
    const saved = await ponte.bankDetails({ reveal: true });
    const account = saved.find(({ currency }) => currency === to.currency);
    if (account !== undefined) await ponte.saveBankDetails(underName(account, name));
    onSaved();
  });
  return html`
  <${Note} kind="wait" title=${t('The bank says the account belongs to {name}', { name })}>
    <p>${t('Use this name if it is yours, change the account, or go on with the name that you saved.')}</p>
    <${Button} kind="second" isBusy=${call.isBusy} onPress=${() => call.run()}>${t('Use this name')}<//>
    ${change()}
    <${Refusal} error=${call.error} />
  <//>`;
}

const underName = (account: BankDetails, accountHolderName: string): BankDetailsRequest =>
  account.currency === 'GBP'
    ? {
        currency: 'GBP',
        accountHolderName,
        accountNumber: account.accountNumber,
        sortCode: account.sortCode,
      }
    : { currency: 'EUR', accountHolderName, iban: account.iban, bic: account.bic };
