// One line of the transaction history.
import type { Transaction } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { formatMinor } from '../money.ts';
import type { Moved } from '../state/movements.ts';
import { Icon, type IconName } from './icons.ts';
import { nameOfCompleted, nameOfType, saidOfMovement } from './statuses.ts';

/** The signs of the kinds of movement. A kind that this version does not know has none, because it may be either. */
const signs: Record<string, string> = { deposit: '+', payment: '−', withdraw: '−' };
const icons: Record<string, IconName> = { deposit: 'deposit', payment: 'pay', withdraw: 'withdraw' };

/** The address of the movement's screen. A payment has its own screen, which knows its recipient. */
export const addressOf = ({ id, pixPaymentId }: Transaction): string =>
  pixPaymentId === null ? `#/transactions/${id}` : `#/payments/${pixPaymentId}`;

type Props = {
  moved: Moved;
  /** When it began, as the list writes it. */
  when: string;
};

export function Movement({ moved, when }: Props): VNode {
  const { transaction } = moved;
  const { type, status, sourceAmount, sourceCurrency, destAmount, destCurrency } = transaction;
  const { title, tone, isMoneyBack } = saidOfMovement(moved);
  const kind = nameOfType(type);
  const name = nameOf(transaction);
  const isCompleted = status === 'completed';
  return html`
    <li>
      <a class="movement" href=${addressOf(transaction)}>
        <span class=${`disc ${type === 'deposit' ? 'good' : ''}`}><${Icon} name=${icons[type] ?? 'wait'} /></span>
        <span class="what">
          <span class="strong">${name ?? kind}</span>
          <span class="soft">
            ${name !== null && !isCompleted && `${kind} · `}
            <span class=${isCompleted ? '' : `tone ${tone}`}>${name !== null && isCompleted ? nameOfCompleted(type) : title}</span>
            ${' · '}<span class="unbroken">${when}</span>
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
