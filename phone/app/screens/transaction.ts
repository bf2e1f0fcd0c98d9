// A deposit or a withdrawal, as it happens.
import type { Transaction } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { momentOf } from '../dates.ts';
import { formatMinor } from '../money.ts';
import { saidOfCheck } from '../parts/destination.ts';
import { Facts } from '../parts/facts.ts';
import { InTheConsole } from '../parts/in-the-console.ts';
import { addressOf } from '../parts/movement.ts';
import { Loading } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { nameOfType, saidOfMovement } from '../parts/statuses.ts';
import { refreshMe } from '../state/me.ts';
import { ponte } from '../state/session.ts';
import { take } from '../state/take.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

export function TransactionScreen({ id }: { id: string }): VNode {
  const { value, error, reload } = useLoaded<Transaction>(
    (signal, show) => ponte.waitForTransaction(id, { signal, onChange: show }),
    id,
  );
  useEffect(() => void (value && refreshMe()), [value?.status]);
  return html`
    <${Screen} title=${value ? nameOfType(value.type) : t('Movement')} back="#/">
      ${value === null && error === null && html`<${Loading} what=${t('Reading…')} />`}
      ${value && html`<${Shown} transaction=${value} />`}
      <${Refusal} error=${error} onAgain=${reload} />
      ${value && html`<${InTheConsole} />`}
    <//>`;
}

function Shown({ transaction }: { transaction: Transaction }): VNode {
  const { title, text, tone } = saidOfMovement({ transaction, payment: null });
  const { id, status, sourceAmount, sourceCurrency, failureReason, createdAt, completedAt } = transaction;
  const { name, account, reference } = transaction.counterparty ?? {};
  return html`
    <div class=${`outcome ${tone}`}>
      <p class="sum">${formatMinor(sourceAmount, sourceCurrency)}</p>
      <div role="status" aria-live="polite">
        <p class="strong" data-status=${status}>${title}</p>
        <p>${failureReason ?? text}</p>
      </div>
    </div>
    ${transaction.pixPaymentId !== null && html`<a class="more" href=${addressOf(transaction)}>${t('See the payment')}</a>`}
    <${Facts} facts=${[
      { name: t('To'), value: name },
      { name: t('Account'), value: account, isCode: true },
      { name: t('Reference'), value: reference },
      { name: t('Checked'), value: useCheck(transaction) },
      { name: t('Begun'), value: momentOf(createdAt) },
      { name: t('Arrived'), value: completedAt && momentOf(completedAt) },
      { name: t('Number'), value: id, isCode: true, isCopied: true },
    ]} />`;
}

/** Only the newest withdrawals are searched, because the list is read for this alone. */
const SEARCHED = 20;

/** Says what the bank's check of a withdrawal's account came to. Only the withdrawal knows it. */
function useCheck({ id, type }: Transaction): string | null {
  const { value } = useLoaded(async () => {
    if (type !== 'withdraw') return null;
    const { items } = await take(ponte.withdraws({ pageSize: SEARCHED }), SEARCHED);
    return items.find((one) => one.id === id)?.bankValidationStatus ?? null;
  }, id);
  return value && saidOfCheck(value);
}
