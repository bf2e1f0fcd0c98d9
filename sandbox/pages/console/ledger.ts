// The page of the double-entry ledger: its proof, its balances and its transactions.

import { type LedgerQuery, type LedgerTransaction, ledgerTransactions } from '../../console/ledger-pages.ts';
import type { SandboxContext } from '../../context.ts';
import { proof } from '../../ledger.ts';
import { type Currency, writeAmount } from '../../money.ts';
import { type Html, html, type Piece } from '../html.ts';
import { page } from '../layout.ts';
import { badge, columnTime, empty, ledgerLink, older, shortLink, table } from '../parts.ts';

const HERE = '/console/ledger';
const COLUMNS = [{ name: 'Reason' }, { name: 'Time (UTC)' }, { name: 'Reference' }, { name: 'Entries' }];

export function ledgerPage(context: SandboxContext, query: LedgerQuery): string {
  const { transactions, next } = ledgerTransactions(context, query);
  const about = query.reference ?? query.account;
  return page({
    title: 'Ledger',
    place: 'ledger',
    content: html`<h1>Ledger</h1>
<p>Double entry: each transaction takes from some accounts what it gives to others, so every currency sums to zero.</p>
${about === undefined ? summary(context) : html`<p class="banner plain">Only the transactions of <code>${about}</code>. <a href="${HERE}">All of them</a></p>`}
${
  transactions.length === 0
    ? empty(
        'No entry here',
        html`Nothing has moved yet. <a href="/console/accounts">Pay money in</a> to an account: the deposit is the first transaction.`,
      )
    : html`<section>${table('Transactions', COLUMNS, transactions.map(transaction))}${older(HERE, next, { reference: query.reference, account: query.account })}</section>`
}`,
  });
}

function summary(context: SandboxContext): Html {
  const { balanced, totals, accounts } = proof(context);
  const own = accounts.filter(({ account }) => !account.startsWith('customer:'));
  const amounts = Object.entries(totals).map(([currency, total]) => `${total} ${currency}`);
  return html`<section><h2>The proof ${badge(balanced ? 'balanced' : 'not balanced')}</h2>
<p>${amounts.length === 0 ? 'There are no entries yet.' : `All entries together: ${amounts.join(', ')}.`} As JSON, with every balance: <a href="/sandbox/ledger">/sandbox/ledger</a></p>
${
  own.length === 0
    ? ''
    : table(
        "The provider's own accounts",
        [{ name: 'Account' }, { name: 'Balance', isNumber: true }],
        own.map(({ account, currency, balance }) => [
          ledgerLink('account', account, account),
          `${balance.replace('-', '−')} ${currency}`,
        ]),
      )
}</section>`;
}

function transaction({ reason, reference, created_at, entries }: LedgerTransaction): Piece[] {
  const items = entries.map(
    ({ account, currency, amount }) =>
      html`<li>${accountLink(account)}<span class="number">${signed(amount, currency)} ${currency}</span></li>`,
  );
  return [
    reason,
    columnTime(created_at),
    ledgerLink('reference', reference, reference),
    html`<ul class="entries">${items}</ul>`,
  ];
}

function accountLink(name: string): Html {
  const uuid = name.startsWith('customer:') ? name.slice('customer:'.length) : null;
  return uuid === null
    ? ledgerLink('account', name, name)
    : html`<span>customer: ${shortLink('accounts', uuid)}</span>`;
}

const signed = (amount: number, currency: Currency): string =>
  (amount > 0 ? '+' : '') + writeAmount(amount, currency).replace('-', '−');
