// One line of the transaction history.
import type { Transaction } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { formatMinor } from '../money.ts';
import type { Moved } from '../state/movements.ts';
import { Icon, type IconName } from './icons.ts';
import { nameOfType, saidOfMovement } from './statuses.ts';

/** The signs of the kinds of movement. A kind that this version does not know has none, because it may be either. */
const signs: Record<string, string> = { deposit: '+', payment: '−', withdraw: '−' };
const icons: Record<string, IconName> = { deposit: 'deposit', payment: 'pay', withdraw: 'withdraw' };

/** The address of the movement's screen. A payment has its own screen, which knows its recipient. */
export const addressOf = ({ id, pixPaymentId }: Transaction): string =>
  pixPaymentId === null ? `#/transactions/${id}` : `#/payments/${pixPaymentId}`;

export function Movement({ moved }: { moved: Moved }): VNode {
  const { transaction } = moved;
  const { type, status, sourceAmount, sourceCurrency, destAmount, destCurrency, createdAt } = transaction;
  const { title, tone, isMoneyBack } = saidOfMovement(moved);
  const kind = nameOfType(type);
  const name = nameOf(transaction);
  return html`
    <li>
      <a class="movement" href=${addressOf(transaction)}>
        <span class=${`disc ${type === 'deposit' ? 'good' : ''}`}><${Icon} name=${icons[type] ?? 'wait'} /></span>
        <span class="what">
          <span class="strong">${name ?? kind}</span>
          <span class="soft">
            ${name !== null && html`${kind} · `}
            ${status === 'completed' ? timeOf(createdAt) : html`<span class=${`tone ${tone}`}>${title}</span>`}
          </span>
        </span>
        <span class="amount">
          <span class=${isMoneyBack ? 'strong struck' : 'strong'}>
            ${signs[type]}${formatMinor(sourceAmount, sourceCurrency)}
          </span>
          ${
            destAmount !== null &&
            destCurrency !== null &&
            html`
          <span class="soft">${formatMinor(destAmount, destCurrency)}</span>`
          }
        </span>
      </a>
    </li>`;
}

/** The name of the other side, or else its account or its words. Null if nothing is known. */
const nameOf = ({ counterparty }: Transaction): string | null =>
  counterparty?.name ?? counterparty?.account ?? counterparty?.reference ?? null;

const timeOf = (iso: string): string =>
  new Date(iso).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
