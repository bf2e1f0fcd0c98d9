// Chooses a recipient whom the person has paid before. Before the payment the key is looked up again, because its owner may have changed.
import type { PixPaymentRequest, PixRecipient } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { whenOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Icon } from '../parts/icons.ts';
import { Loading } from '../parts/note.ts';
import { nameOfKeyType } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { ponte } from '../state/session.ts';
import { take } from '../state/take.ts';
import { useCall } from '../state/use-call.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';
import { proceed } from './pay-proceed.ts';

const PAGE = 20;

export function PayAgain(): VNode {
  const [count, setCount] = useState(PAGE);
  // A payment changes the order of the list, so more of it is read from its beginning.
  const list = useLoaded(() => take(ponte.recipients({ pageSize: count }), count), String(count));
  const removing = useCall(async (id: string) => {
    await ponte.removeRecipient(id);
    list.reload();
  });
  return html`
    ${list.value === null && list.error === null && html`<${Loading} what=${t('Reading…')} />`}
    ${list.value?.items.length === 0 && html`<p class="empty">${t('Nobody yet. Whom you pay will show up here.')}</p>`}
    <ul class="movements">
      ${list.value?.items.map((one) => html`<${Payee} key=${one.id} payee=${one} onRemove=${() => removing.run(one.id)} />`)}
    </ul>
    ${list.value?.hasMore && html`<${Button} kind="second" onPress=${() => setCount(count + PAGE)}>${t('Show more')}<//>`}
    <${Refusal} error=${list.error} onAgain=${list.reload} />
    <${Refusal} error=${removing.error} />`;
}

function Payee({ payee, onRemove }: { payee: PixRecipient; onRemove: () => void }): VNode {
  const { recipientName, pixKey, pixKeyType, lastPaidAt } = payee;
  const name = recipientName ?? pixKey;
  return html`
    <li class="payee">
      <button type="button" class="movement" onClick=${() => choose(payee)}>
        <span class="disc"><${Icon} name=${recipientName === null ? 'key' : 'person'} /></span>
        <span class="what">
          <span class="strong">${name}</span>
          <span class="soft">
            ${nameOfKeyType(pixKeyType)}${recipientName !== null && html` · ${pixKey}`}
            ${' · '}<span class="unbroken">${whenOf(lastPaidAt)}</span>
          </span>
        </span>
      </button>
      <button type="button" class="remove" aria-label=${t('Remove {name}', { name })} onClick=${onRemove}><${Icon} name="cross" /></button>
    </li>`;
}

/** The earlier name is not kept: only the look-up may say who owns the key now. */
const choose = ({ pixKey, pixKeyType }: PixRecipient): void =>
  proceed({
    pixKey,
    pixKeyType: pixKeyType as PixPaymentRequest['pixKeyType'],
    recipientName: null,
    amountBrl: null,
    isAmountFixed: false,
  });
