// What the history shows: a kind of movement, a state, a period, and what a person looks for.
import type { KnownTransactionType, TransactionFilters } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type Period, periodOf } from '../dates.ts';
import { Field } from './field.ts';

const types: Record<KnownTransactionType, string> = {
  deposit: 'Money added',
  payment: 'PIX payments',
  withdraw: 'Withdrawals',
};
const states = {
  'under-way': { name: 'Under way', status: ['pending', 'settling'] },
  done: { name: 'Done', status: ['completed'] },
  failed: { name: 'Did not work', status: ['failed'] },
} as const satisfies Record<string, { name: string; status: NonNullable<TransactionFilters['status']> }>;
const periods: Record<Period, string> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-year': 'This year',
  'last-year': 'Last year',
};

/** What the person has chosen. Empty text chooses everything. */
export type Chosen = {
  type: keyof typeof types | '';
  state: keyof typeof states | '';
  period: Period | '';
};
export const EVERYTHING: Chosen = { type: '', state: '', period: '' };

export const filtersOf = ({ type, state, period }: Chosen): TransactionFilters => ({
  ...(type && { type: [type] }),
  ...(state && { status: [...states[state].status] }),
  ...(period && periodOf(period)),
});

type Props = {
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
  text: string;
  onText: (text: string) => void;
};

export function HistoryFilters({ chosen, onChoose, text, onText }: Props): VNode {
  const stateNames = Object.fromEntries(Object.entries(states).map(([key, { name }]) => [key, name]));
  const names = [
    types[chosen.type || 'deposit'],
    stateNames[chosen.state],
    periods[chosen.period || 'this-month'],
  ];
  const inUse = names.filter((_name, index) => [chosen.type, chosen.state, chosen.period][index]);
  const choose = (name: keyof Chosen) => (value: string) => onChoose({ ...chosen, [name]: value });
  return html`
    <search class="filters">
      <${Field} label="Search" name="search" value=${text} onValue=${onText}
        input=${{ type: 'search', placeholder: 'Name, reference or amount', autocomplete: 'off' }} />
      <details>
        <summary>Filter${inUse.length > 0 && `: ${inUse.join(', ')}`}</summary>
        <div class="choosers">
          <${Chooser} label="Kind" name="type" all="Everything" value=${chosen.type} names=${types} onValue=${choose('type')} />
          <${Chooser} label="State" name="state" all="Any" value=${chosen.state} names=${stateNames} onValue=${choose('state')} />
          <${Chooser} label="Period" name="period" all="All time" value=${chosen.period} names=${periods} onValue=${choose('period')} />
        </div>
      </details>
    </search>`;
}

type ChooserProps = {
  label: string;
  name: string;
  /** The choice of everything. */
  all: string;
  value: string;
  names: Record<string, string>;
  onValue: (value: string) => void;
};

const Chooser = ({ label, name, all, value, names, onValue }: ChooserProps): VNode => html`
  <div class="field">
    <label for=${name}>${label}</label>
    <div class="box">
      <select id=${name} value=${value}
        onChange=${(event: Event) => onValue((event.currentTarget as HTMLSelectElement).value)}>
        <option value="">${all}</option>
        ${Object.entries(names).map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`)}
      </select>
    </div>
  </div>`;
