// The pages of all users, accounts, conversions and payouts, newest first.
import { type ListQuery, listed } from '../console/lists.ts';
import type { SandboxContext } from '../context.ts';
import { balance, customer } from '../ledger.ts';
import { writeAmount } from '../money.ts';
import { currencyOf } from '../provider/accounts.ts';
import { existing } from '../provider/resources.ts';
import type { Resource, Rows } from '../store/rows.ts';
import { type Html, html, type Piece } from './html.ts';
import { type Place, page } from './layout.ts';
import {
  badge,
  columnTime,
  destination,
  empty,
  filters,
  link,
  live,
  older,
  shortLink,
  table,
  theApp,
} from './parts.ts';

interface ListPage<Row> {
  title: string;
  place: Place;
  about: Html;
  statuses: string[];
  /** The columns by name. Those of amounts are numbers. */
  columns: string[];
  cells: (context: SandboxContext, row: Row) => Piece[];
  /** What a page without rows says: a title, and what to do first. */
  none: [title: string, first: (context: SandboxContext) => Html];
}

const isAmount = (resource: Resource, name: string) =>
  ['Balance', 'From', 'Amount'].includes(name) || (resource === 'transfers' && name === 'To');

const PAGES: { [Table in Resource]: ListPage<Rows[Table]> } = {
  owners: {
    title: 'Users',
    place: 'users',
    about: html`The users that the app has created at the provider. A user fills in the hosted verification page; here you decide how it ends.`,
    statuses: ['PENDING', 'COMPLETED', 'FAILED'],
    columns: ['User', 'Name', 'Verification', 'Changed (UTC)'],
    cells: (_context, row) => [
      shortLink('owners', row.uuid),
      row.full_name ?? html`<span class="how">not filled in yet</span>`,
      badge(row.status),
      columnTime(row.updated_at),
    ],
    none: [
      'No user here',
      (
        context,
      ) => html`Sign in to ${theApp(context)} (an ID token is on <a href="/">the start page</a>) and start the verification there:
      <code>POST /kyc/start</code>. The user appears here.`,
    ],
  },
  accounts: {
    title: 'Accounts',
    place: 'accounts',
    about: html`One account for each currency of a user, with the balance that the ledger has for it. Open one to pay money in.`,
    statuses: ['PROVISIONING', 'ACTIVE'],
    columns: ['Account', 'Holder', 'Status', 'Balance'],
    cells: (context, row) => [
      shortLink('accounts', row.uuid),
      link(
        'owners',
        row.owner_uuid,
        existing(context, 'owners', row.owner_uuid).full_name ?? 'without a name',
      ),
      badge(row.status),
      `${writeAmount(balance(context, customer(row.uuid)), row.currency)} ${row.currency}`,
    ],
    none: [
      'No account here',
      () => html`The app opens accounts for a <a href="/console/owners">user</a> whose verification is completed.
      Complete one first.`,
    ],
  },
  transfers: {
    title: 'Conversions',
    place: 'conversions',
    about: html`Internal transfers between two accounts of a user, at a quote: the first step of a PIX payment. A pending one can be completed or fail.`,
    statuses: ['PENDING', 'COMPLETED', 'FAILED'],
    columns: ['Conversion', 'Status', 'Changed (UTC)', 'From', 'To'],
    cells: (context, row) => [
      shortLink('transfers', row.uuid),
      badge(row.status),
      columnTime(row.updated_at),
      amountOn(context, row.source_amount, row.source_account_uuid),
      amountOn(context, row.destination_amount, row.destination_account_uuid),
    ],
    none: [
      'No conversion here',
      (
        context,
      ) => html`Pay money in to an <a href="/console/accounts">account</a>, then pay a PIX key in ${theApp(context)}. To keep a
      conversion pending, pay <code>9.99</code> BRL: it waits ten minutes for your decision.`,
    ],
  },
  payouts: {
    title: 'Payouts',
    place: 'payouts',
    about: html`Money that leaves: to a PIX key, or to the user's own bank by FPS or SEPA. A pending one can be completed, fail or be returned; a
completed one can be returned.`,
    statuses: ['PENDING', 'COMPLETED', 'FAILED', 'ERROR', 'REFUNDED'],
    columns: ['Payout', 'To', 'Status', 'Changed (UTC)', 'Amount'],
    cells: (_context, row) => [
      shortLink('payouts', row.uuid),
      destination(row),
      badge(row.status),
      columnTime(row.updated_at),
      `${writeAmount(row.amount, row.currency)} ${row.currency}`,
    ],
    none: [
      'No payout here',
      (
        context,
      ) => html`Pay money in to an <a href="/console/accounts">account</a>, then pay a PIX key or withdraw in ${theApp(context)}. To
      keep a payout pending, pay the key <code>slow@pix.example</code> or withdraw <code>16.16</code>: it waits ten minutes for your decision.`,
    ],
  },
};

/** @param address the page's own address, from which it is refreshed. */
export function listPage(
  context: SandboxContext,
  resource: Resource,
  query: ListQuery,
  address: string,
): string {
  const { title, place, about, statuses, columns, cells, none } = PAGES[resource] as ListPage<never>;
  const { rows, next } = listed(context, resource, query);
  const here = `/console/${resource}`;
  const shown = columns.map((name) =>
    isAmount(resource, name) ? { name, isNumber: true as const } : { name },
  );
  const content =
    rows.length === 0
      ? empty(none[0], none[1](context))
      : html`<section>${table(
          title,
          shown,
          rows.map((row) => cells(context, row as never)),
        )}${older(here, next, { status: query.status })}</section>`;
  return page({
    title,
    place,
    isLive: true,
    content: html`<h1>${title}</h1>
<p>${about}</p>
${filters(here, statuses, query.status)}
${live(address, content)}`,
  });
}

function amountOn(context: SandboxContext, minor: number, account: string): string {
  const currency = currencyOf(context, account);
  return `${writeAmount(minor, currency)} ${currency}`;
}
