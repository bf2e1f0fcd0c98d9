// The page of all payouts: PIX payments in Brazil, and withdrawals by FPS or SEPA.
import { type Asked, listed } from '../../console/lists.ts';
import { writeAmount } from '../../money.ts';
import type { World } from '../../world.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { badge } from '../parts/badge.ts';
import { destination } from '../parts/destination.ts';
import { empty } from '../parts/empty.ts';
import { shortLink } from '../parts/links.ts';
import { live } from '../parts/live.ts';
import { filters, older } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { theApp } from '../parts/the-app.ts';
import { columnTime } from '../parts/time.ts';

const HERE = '/console/payouts';
const COLUMNS = [
  { name: 'Payout' },
  { name: 'To' },
  { name: 'Status' },
  { name: 'Changed (UTC)' },
  { name: 'Amount', isNumber: true as const },
];

export function payoutsPage(world: World, asked: Asked, address: string): string {
  const { rows, next } = listed(world, 'payouts', asked);
  const cells = rows.map((row) => [
    shortLink('payouts', row.uuid),
    destination(row),
    badge(row.status),
    columnTime(row.updated_at),
    `${writeAmount(row.amount, row.currency)} ${row.currency}`,
  ]);
  return page({
    title: 'Payouts',
    place: 'payouts',
    isLive: true,
    content: html`<h1>Payouts</h1>
<p>Money that leaves: to a PIX key, or to the user's own bank by FPS or SEPA. A pending one can be completed, fail or be returned; a
completed one can be returned.</p>
${filters(HERE, ['PENDING', 'COMPLETED', 'FAILED', 'ERROR', 'REFUNDED'], asked.status)}
${live(
  address,
  rows.length === 0
    ? empty(
        'No payout here',
        html`Pay money in to an <a href="/console/accounts">account</a>, then pay a PIX key or withdraw in ${theApp(world)}. To
      keep a payout pending, pay the key <code>slow@pix.example</code> or withdraw <code>16.16</code>: it waits ten minutes for your decision.`,
      )
    : html`<section>${table('Payouts', COLUMNS, cells)}${older(HERE, next, { status: asked.status })}</section>`,
)}`,
  });
}
