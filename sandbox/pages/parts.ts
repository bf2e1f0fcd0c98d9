// The small parts of pages: badges, times, links, banners, tables.
import type { CallbackResource } from '../callback-log.ts';
import type { SandboxContext } from '../context.ts';
import type { Schemas } from '../provider/operation.ts';
import type { PayoutRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { type Html, html, type Piece } from './html.ts';
import { type Place, page } from './layout.ts';

/**
 * The page of one resource: the way back, what was just done, and content that is fetched again while the page is open.
 * @param done comes from the address, so only words that are listed are shown.
 */
export function resourcePage(
  { title, place, address, done }: { title: string; place: Place; address: string; done: string | undefined },
  trail: Html,
  content: Html,
  after = html``,
): string {
  return page({
    title,
    place,
    isLive: true,
    content: html`<p class="trail">${trail}</p>${doneBanner(done)}
${live(address, content)}${after}`,
  });
}

const TONES: Record<string, string> = {
  COMPLETED: 'good',
  ACTIVE: 'good',
  delivered: 'good',
  balanced: 'good',
  PENDING: 'wait',
  PROVISIONING: 'wait',
  waiting: 'wait',
  sending: 'wait',
  FAILED: 'bad',
  ERROR: 'bad',
  lost: 'bad',
  abandoned: 'bad',
  'not balanced': 'bad',
  REFUNDED: 'back',
};

export const badge = (status: string): Html =>
  html`<span class="badge ${TONES[status] ?? 'plain'}">${status}</span>`;

export const fullTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC</time>`;

/** For a column whose name says UTC. */
export const columnTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')}</time>`;

/** The time of day alone, for lists of current events. */
export const timeOfDay = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${isoTime(ms)}">${isoTime(ms).slice(11, 19)}</time>`;

export type LinkedResource = CallbackResource | 'owners' | 'movements';

export const SINGULAR: Record<LinkedResource, string> = {
  owners: 'user',
  accounts: 'account',
  transfers: 'conversion',
  payouts: 'payout',
  movements: 'movement',
};

/** A link with the end of the uuid, because the uuids of neighbouring rows begin with almost the same time. */
export const shortLink = (resource: LinkedResource, uuid: string): Html =>
  html`<a href="/console/${resource}/${uuid}"><code>…${uuid.slice(-8)}</code></a>`;

export const link = (resource: LinkedResource, uuid: string, text: string | Html): Html =>
  html`<a href="/console/${resource}/${uuid}">${text}</a>`;

export const ledgerLink = (by: 'reference' | 'account', value: string, text: string): Html =>
  html`<a href="/console/ledger?${by}=${encodeURIComponent(value)}">${text}</a>`;

const DONE = new Map([
  ['deposited', 'The deposit has arrived. Its callback is below.'],
  ['charged', 'The charge is made. Its code is the first one below.'],
  ['complete', 'Completed.'],
  ['fail', 'Failed, as you decided.'],
  ['error', 'Ended with ERROR, as you decided.'],
  ['refund', 'Returned: the money is back on the account.'],
  ['refund-part', 'A part is back on the account.'],
  ['accept', 'The contestation is accepted.'],
  ['reject', 'The contestation is rejected.'],
  ['activate', 'The account is active.'],
  ['delay', 'Delayed.'],
  ['resend', 'The callback is sent again.'],
  ['lose', 'The callback is lost: it is not sent any more.'],
]);

function doneBanner(done: string | undefined): Html {
  const text = DONE.get(done ?? '');
  return text === undefined ? html`` : html`<p class="banner good" role="status">${text}</p>`;
}

export const empty = (what: string, first: Html): Html =>
  html`<section class="empty"><h2>${what}</h2><p>${first}</p></section>`;

/** Omits facts that have no value. */
export function facts(list: [name: string, value: Piece | null][]): Html {
  const withValue = list.filter((fact): fact is [string, Piece] => fact[1] !== null && fact[1] !== '');
  return html`<dl class="facts">${withValue.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** @param address the page's own address. Unchanged elements stay in place, so the focus is kept. */
export const live = (address: string, content: Html): Html =>
  html`<div id="live" hx-get="${address}" hx-trigger="every 2s" hx-select="#live" hx-target="#live" hx-swap="outerMorph">${content}</div>`;

export function filters(address: string, statuses: string[], current: string | undefined): Html {
  return html`<ul class="filters" aria-label="Only those with a status">${[
    item('all', address, current === undefined),
    ...statuses.map((status) => item(status, `${address}?status=${status}`, status === current)),
  ]}</ul>`;
}

const item = (text: string, href: string, isHere: boolean): Html =>
  html`<li><a href="${href}"${isHere ? html` aria-current="true"` : ''}>${text}</a></li>`;

export function older(
  address: string,
  next: number | null,
  query: Record<string, string | undefined> = {},
): Html {
  if (next === null) return html``;
  const parameters = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = new URLSearchParams([...parameters, ['before', String(next)]]);
  return html`<p><a href="${address}?${search.toString()}">Older ones</a></p>`;
}

export interface Column {
  name: string;
  isNumber?: true;
}

/** @param caption what the rows are, for people who cannot see them. */
export function table(caption: string, columns: Column[], rows: Piece[][]): Html {
  const kind = ({ isNumber }: Column) => (isNumber ? html` class="number"` : '');
  return html`<table${columns.length > 2 ? html` class="cards"` : ''} role="table"><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col"${kind(column)}>${column.name}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, at) => {
        const column = columns[at] ?? { name: '' };
        return html`<td role="cell" data-label="${column.name}"${kind(column)}><span>${cell}</span></td>`;
      })}</tr>`,
  )}</tbody></table>`;
}

export const theApp = ({ options }: SandboxContext): Html =>
  '/phone' in options.pages ? html`<a href="/phone/">the phone</a>` : html`the app`;

/**
 * A link to the phone's screen for an id that the app shows. Null without such an id, or if the sandbox does not serve the phone.
 * @param id the end-to-end id of a payout, or the number of an account.
 */
export const onThePhone = ({ options }: SandboxContext, id: string | null, text: string): Html | null =>
  id !== null && '/phone' in options.pages ? html`<a href="/phone/#/find/${id}">${text}</a>` : null;

export function destination({ rail, destination: stored }: PayoutRow): string {
  const to = JSON.parse(stored) as Schemas['Destination'];
  if ('pix_key' in to) return `${rail} ${to.pix_key}`;
  return `${rail} ${to.account_holder_name}, ${'iban' in to ? to.iban : `${to.sort_code} ${to.account_number}`}`;
}
