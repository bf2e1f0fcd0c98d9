// The latest conversions and payouts from an account, as a section of its page.
import { paymentsOf } from '../../console/lists.ts';
import { writeAmount } from '../../money.ts';
import { currencyOf } from '../../provider/accounts.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';
import { badge } from './badge.ts';
import { link } from './links.ts';
import { table } from './table.ts';

const COLUMNS = [{ name: 'Payment' }, { name: 'Status' }, { name: 'Amount', isNumber: true as const }];

export function paymentsSection(world: World, account: string): Html {
  const currency = currencyOf(world, account);
  const conversions = paymentsOf(world, 'transfers', account).map((row) => [
    link('transfers', row.uuid, 'conversion'),
    badge(row.status),
    `${writeAmount(row.source_amount, currency)} ${currency}`,
  ]);
  const payouts = paymentsOf(world, 'payouts', account).map((row) => [
    link('payouts', row.uuid, `payout by ${row.rail}`),
    badge(row.status),
    `${writeAmount(row.amount, row.currency)} ${row.currency}`,
  ]);
  const rows = [...conversions, ...payouts];
  return rows.length === 0
    ? html``
    : html`<section><h2>Payments from it</h2>${table('Payments', COLUMNS, rows)}</section>`;
}
