// Closes the account permanently. The person is asked twice, and sees first what is left in it.
import { PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatMinor } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Form } from '../parts/form.ts';
import { Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { meStore } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte, signOut } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';
import { closedUntil } from './closed.ts';

export function CloseAccount(): VNode {
  const balance = meStore.use().me?.balance;
  const [isSure, setSure] = useState(false);
  const [fault, setFault] = useState(false);
  // The first call is refused while money is left. Then the person is asked once more.
  const call = useCall(async (unlessMoneyIsLeft: boolean) => {
    const { hardDeletionScheduledFor } = await ponte.closeAccount({ unlessMoneyIsLeft });
    replaceWith('/');
    closedUntil.set(hardDeletionScheduledFor);
    signOut();
  });
  const send = (): boolean => {
    setFault(!isSure);
    if (isSure) call.run(true);
    return isSure;
  };
  return html`
    <${Screen} title=${t('Close your account')} back="#/account">
      ${
        balance &&
        balance.amount !== 0 &&
        html`
      <${Note} kind="bad" title=${t('It still holds {money}', { money: formatMinor(balance.amount, balance.currency) })}>
        <p>${t('Withdraw it first. After closing, only support can send it to you.')}</p>
        <a class="button second" href="#/withdraw">${t('Withdraw')}</a>
      <//>`
      }
      <p>${t('Closing is for good. What the law does not make us keep is deleted now, the rest after six years. Payments under way still run to their end.')}</p>
      <${Form} onSend=${send}>
        <label class="tick">
          <input type="checkbox" checked=${isSure} aria-invalid=${fault ? 'true' : undefined}
            aria-describedby=${fault ? 'sure-fault' : undefined}
            onChange=${(event: Event) => setSure((event.currentTarget as HTMLInputElement).checked)} />
          <span>${t('Yes, close my account for good')}</span>
        </label>
        ${fault && !isSure && html`<p class="fault" id="sure-fault">${t('Please say that you are sure.')}</p>`}
        <${Refusal} error=${call.error} onAgain=${() => call.run(true)} />
        <${Button} kind="danger" isBusy=${call.isBusy}>${t('Close my account')}<//>
        ${
          call.error instanceof PonteError &&
          call.error.is('account_holds_money') &&
          html`
        <${Note} kind="bad" title=${t('Close it with the money inside?')}>
          <p>${t('Only support can send you that money afterwards, and it takes longer.')}</p>
          <${Button} kind="danger" onPress=${() => call.run(false)}>${t('Close it anyway')}<//>
        <//>`
        }
      <//>
    <//>`;
}
