// One payment, from its confirmation to its end, as it happens.
import type { PixPayment } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatBrl } from '../money.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Loading } from '../parts/note.ts';
import { Progress } from '../parts/progress.ts';
import { nameOfKeyType } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { saidOfPayment } from '../parts/statuses.ts';
import { keptStore } from '../state/kept.ts';
import { refreshMe } from '../state/me.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { useLoaded } from '../state/use-loaded.ts';

/** Of a retry that was not answered: the same key says that it is the same retry. */
const retryKey = keptStore<{ paymentId: string; idempotencyKey: string }>('retry');

export function Payment({ id }: { id: string }): VNode {
  const {
    value: payment,
    error,
    reload,
  } = useLoaded<PixPayment>((signal, show) => ponte.waitForPayment(id, { signal, onChange: show }), id);
  const call = useCall(async () => {
    await ponte.retryPayment(id, { idempotencyKey: keyFor(id) });
    retryKey.set(null);
    reload();
  });
  useEffect(() => void (payment && refreshMe()), [payment?.status]);
  return html`
    <${Screen} title="Payment" back="#/">
      ${payment === null && error === null && html`<${Loading} what="Reading the payment…" />`}
      ${payment && html`<${Shown} payment=${payment} />`}
      <${Refusal} error=${call.error ?? error} onAgain=${call.error === null ? reload : call.run} />
      ${
        payment?.status === 'payout_failed' &&
        html`
      <${Button} isBusy=${call.isBusy} onPress=${call.run}>Send it again<//>`
      }
    <//>`;
}

function keyFor(paymentId: string): string {
  const kept = retryKey.get();
  if (kept?.paymentId === paymentId) return kept.idempotencyKey;
  const idempotencyKey = crypto.randomUUID();
  retryKey.set({ paymentId, idempotencyKey });
  return idempotencyKey;
}

function Shown({ payment }: { payment: PixPayment }): VNode {
  const { title, text, tone } = saidOfPayment(payment);
  return html`
    <div class=${`outcome ${tone}`}>
      <p class="sum">${formatBrl(payment.amountBrl)}</p>
      <p class="soft">to ${payment.recipientName ?? payment.pixKey}</p>
      <div role="status" aria-live="polite">
        <p class="strong" data-status=${payment.status}>${title}</p>
        <p>${payment.failureReason ?? text}</p>
      </div>
    </div>
    <${Progress} status=${payment.status} />
    <${Facts} facts=${[
      { name: nameOfKeyType(payment.pixKeyType), value: payment.pixKey, isCode: true },
      { name: 'Rate', value: payment.exchangeRate },
      { name: 'Confirmed', value: new Date(payment.createdAt).toLocaleString('en-GB') },
      { name: 'End-to-end id', value: payment.endToEndId, isCode: true, isCopied: true },
      { name: 'Receipt', value: payment.voucherId, isCode: true },
      { name: 'Payment id', value: payment.id, isCode: true, isCopied: true },
    ]} />`;
}
