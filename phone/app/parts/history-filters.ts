// What the history shows: a kind of movement, a state, a period, and what a person looks for.
import type { KnownTransactionType, TransactionFilters } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type Period, periodOf } from '../dates.ts';
import { t } from '../texts/t.ts';
import { Field } from './field.ts';

const types: Record<KnownTransactionType, string> = {
  deposit: t('Money added'),
  payment: t('PIX payments'),
  withdraw: t('Withdrawals'),
};
const states = {
  'under-way': { name: t('Under way'), status: ['pending', 'settling'] },
  done: { name: t('Done'), status: ['completed'] },
  failed: { name: t('Did not work'), status: ['failed'] },
} as const satisfies Record<string, { name: string; status: NonNullable<TransactionFilters['status']> }>;
const periods: Record<Period, string> = {
  'this-month': t('This month'),
  'last-month': t('Last month'),
  'this-year': t('This year'),
  'last-year': t('Last year'),
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
      <${Field} label=${t('Search')} name="search" value=${text} onValue=${onText}
        input=${{ type: 'search', placeholder: t('Name, reference or amount'), autocomplete: 'off' }} />
      <details>
        <summary>${t('Filter')}${inUse.length > 0 && `: ${inUse.join(', ')}`}</summary>
        <div class="choosers">
          <${Chooser} label=${t('Kind')} name="type" all=${t('Everything')} value=${chosen.type} names=${types} onValue=${choose('type')} />
          <${Chooser} label=${t('State')} name="state" all=${t('Any')} value=${chosen.state} names=${stateNames} onValue=${choose('state')} />
          <${Chooser} label=${t('Period')} name="period" all=${t('All time')} value=${chosen.period} names=${periods} onValue=${choose('period')} />
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
