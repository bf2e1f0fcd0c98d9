// Links to the sandbox's console, which shows the provider's side. Both know the end-to-end id of a payment that arrived, and the
// number of the person's account. The provider does not know Ponte's own ids.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { consoleAddressOf } from '../sandbox.ts';
import { meStore } from '../state/me.ts';
import { t } from '../texts/t.ts';
import { InTheSandbox } from './note.ts';

type Props = {
  /** The end-to-end id of a payment. Null for other movements, and until the recipient was paid. */
  endToEndId?: string | null;
};

export function InTheConsole({ endToEndId = null }: Props): VNode | null {
  const deposit = meStore.use().me?.deposit;
  const account = deposit?.accountNumber ?? deposit?.iban ?? null;
  if (endToEndId === null && account === null) return null;
  return html`
    <${InTheSandbox}>
      <p class="soft">${t('The console shows the provider’s side, and decides how things end.')}</p>
      ${endToEndId !== null && html`<a class="button second" href=${consoleAddressOf(endToEndId)}>${t('See the payout in the console')}</a>`}
      ${account !== null && html`<a class="button second" href=${consoleAddressOf(account)}>${t('See your account in the console')}</a>`}
    <//>`;
}
