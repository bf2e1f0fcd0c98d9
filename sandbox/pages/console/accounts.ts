// The page of all accounts and their balances.

import { type Asked, listed } from '../../console/lists.ts';
import { balance, customer } from '../../ledger.ts';
import { writeAmount } from '../../money.ts';
import { existing } from '../../provider/resources.ts';
import type { World } from '../../world.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { badge } from '../parts/badge.ts';
import { empty } from '../parts/empty.ts';
import { link, shortLink } from '../parts/links.ts';
import { live } from '../parts/live.ts';
import { filters, older } from '../parts/paging.ts';
import { table } from '../parts/table.ts';

const HERE = '/console/accounts';
const COLUMNS = [
  { name: 'Account' },
  { name: 'Holder' },
  { name: 'Status' },
  { name: 'Balance', isNumber: true as const },
];

export function accountsPage(world: World, asked: Asked, address: string): string {
  const { rows, next } = listed(world, 'accounts', asked);
  const cells = rows.map((row) => [
    shortLink('accounts', row.uuid),
    link('owners', row.owner_uuid, existing(world, 'owners', row.owner_uuid).full_name ?? 'without a name'),
    badge(row.status),
    `${writeAmount(balance(world, customer(row.uuid)), row.currency)} ${row.currency}`,
  ]);
  return page({
    title: 'Accounts',
    place: 'accounts',
    isLive: true,
    content: html`<h1>Accounts</h1>
<p>One account for each currency of a user, with the balance that the ledger has for it. Open one to pay money in.</p>
${filters(HERE, ['PROVISIONING', 'ACTIVE'], asked.status)}
${live(
  address,
  rows.length === 0
    ? empty(
        'No account here',
        html`The app opens accounts for a <a href="/console/owners">user</a> whose verification is completed.
      Complete one first.`,
      )
    : html`<section>${table('Accounts', COLUMNS, cells)}${older(HERE, next, { status: asked.status })}</section>`,
)}`,
  });
}
