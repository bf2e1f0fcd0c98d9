// The latest movements of an account, as a section of its page.
import { movementsOf } from '../../console/lists.ts';
import { writeAmount } from '../../money.ts';
import type { MovementRow } from '../../store/rows.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';
import { link } from './links.ts';
import { table } from './table.ts';
import { columnTime } from './time.ts';

const COLUMNS = [
  { name: 'Movement' },
  { name: 'Reference' },
  { name: 'Time (UTC)' },
  { name: 'Amount', isNumber: true as const },
];

export const signedAmount = ({ direction, amount, currency }: MovementRow): string =>
  `${direction === 'DEBIT' ? '−' : '+'}${writeAmount(amount, currency)} ${currency}`;

export function movementsSection(world: World, account: string): Html {
  const rows = movementsOf(world, account).map((row) => [
    link('movements', row.uuid, row.kind),
    row.source_reference ?? '',
    columnTime(row.created_at),
    signedAmount(row),
  ]);
  return html`<section><h2>Movements</h2>${
    rows.length === 0 ? html`<p>None yet. Pay in with the form above.</p>` : table('Movements', COLUMNS, rows)
  }</section>`;
}
