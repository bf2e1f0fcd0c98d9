// The page of the users that the client has created at the provider, with their verification.
import { type Asked, listed } from '../../console/lists.ts';
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

const HERE = '/console/owners';
const COLUMNS = [{ name: 'User' }, { name: 'Name' }, { name: 'Verification' }, { name: 'Changed (UTC)' }];

export function usersPage(world: World, asked: Asked, address: string): string {
  const { rows, next } = listed(world, 'owners', asked);
  const cells = rows.map((row) => [
    shortLink('owners', row.uuid),
    row.full_name ?? html`<span class="how">not filled in yet</span>`,
    badge(row.status),
    columnTime(row.updated_at),
  ]);
  return page({
    title: 'Users',
    place: 'users',
    isLive: true,
    content: html`<h1>Users</h1>
<p>The users that the app has created at the provider. A user fills in the hosted verification page; here you decide how it ends.</p>
${filters(HERE, ['PENDING', 'COMPLETED', 'FAILED'], asked.status)}
${live(
  address,
  rows.length === 0
    ? empty(
        'No user here',
        html`Sign in to ${theApp(world)} (an ID token is on <a href="/">the start page</a>) and start the verification there:
      <code>POST /kyc/start</code>. The user appears here.`,
      )
    : html`<section>${table('Users', COLUMNS, cells)}${older(HERE, next, { status: asked.status })}</section>`,
)}`,
  });
}
