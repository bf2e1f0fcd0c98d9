// The page of all conversions between two accounts of a user.
import { type Asked, listed } from '../../console/lists.ts';
import { writeAmount } from '../../money.ts';
import { currencyOf } from '../../provider/accounts.ts';
import type { World } from '../../world.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { badge } from '../parts/badge.ts';
import { empty } from '../parts/empty.ts';
import { shortLink } from '../parts/links.ts';
import { live } from '../parts/live.ts';
import { filters, older } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { theApp } from '../parts/the-app.ts';
import { columnTime } from '../parts/time.ts';

const HERE = '/console/transfers';
const COLUMNS = [
  { name: 'Conversion' },
  { name: 'Status' },
  { name: 'Changed (UTC)' },
  { name: 'From', isNumber: true as const },
  { name: 'To', isNumber: true as const },
];

export function transfersPage(world: World, asked: Asked, address: string): string {
  const { rows, next } = listed(world, 'transfers', asked);
  const amount = (minor: number, account: string) => {
    const currency = currencyOf(world, account);
    return `${writeAmount(minor, currency)} ${currency}`;
  };
  const cells = rows.map((row) => [
    shortLink('transfers', row.uuid),
    badge(row.status),
    columnTime(row.updated_at),
    amount(row.source_amount, row.source_account_uuid),
    amount(row.destination_amount, row.destination_account_uuid),
  ]);
  return page({
    title: 'Conversions',
    place: 'conversions',
    isLive: true,
    content: html`<h1>Conversions</h1>
<p>Internal transfers between two accounts of a user, at a quote: the first step of a PIX payment. A pending one can be completed or fail.</p>
${filters(HERE, ['PENDING', 'COMPLETED', 'FAILED'], asked.status)}
${live(
  address,
  rows.length === 0
    ? empty(
        'No conversion here',
        html`Pay money in to an <a href="/console/accounts">account</a>, then pay a PIX key in ${theApp(world)}. To keep a
      conversion pending, pay <code>9.99</code> BRL: it waits ten minutes for your decision.`,
      )
    : html`<section>${table('Conversions', COLUMNS, cells)}${older(HERE, next, { status: asked.status })}</section>`,
)}`,
  });
}
