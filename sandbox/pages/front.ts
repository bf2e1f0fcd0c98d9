// The front page: what the sandbox is, the magic values, and its controls.
import { CHAPTERS } from '../magic.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import { tokenForm } from './token.ts';

/** Built once: its content is constant. */
export function frontPage(baseUrl: string): string {
  return page(
    'Ponte sandbox',
    html`<h1>Ponte sandbox</h1>
<p>A banking provider and two identity providers that exist only on this machine. Balances, conversions and payouts are
real in every respect but one: there is no money in it.</p>
<p><a href="/fault-injection">Fault injection</a> &middot; <a href="/sandbox/ledger">The ledger and its proof</a> &middot; <a href="/identity/a/">Identity provider a</a> &middot;
<a href="/identity/b/">Identity provider b</a> &middot; API at <code>${baseUrl}/v1/</code></p>

<section><h2>Pay in</h2>
<p>Bank details as the app shows them: sort code and account number, or an IBAN.</p>
<form method="post" action="/sandbox/deposits">
  <label>Sort code <input name="sortCode" placeholder="04-00-75"></label>
  <label>Account number <input name="accountNumber" inputmode="numeric" placeholder="10000001"></label>
  <label>or IBAN <input name="iban" placeholder="DE.."></label>
  <label>Amount <input name="amount" required inputmode="decimal" placeholder="120.00"></label>
  <label>Reference <input name="reference" maxlength="140"></label>
  <button>Deposit</button>
</form></section>

<section><h2>Sign in with identity provider a</h2>${tokenForm('a')}</section>
<section><h2>Sign in with identity provider b</h2>${tokenForm('b')}</section>

<section><h2>Values that decide how things end</h2>
<p>Everything that is not named here succeeds.</p>
${CHAPTERS.map(
  ({ title, field, rows }) => html`<table>
<thead><tr><th>${title}: ${field}</th><th>What happens</th></tr></thead>
<tbody>${rows.map(({ value, meaning }) => html`<tr><td><code>${value}</code></td><td>${meaning}</td></tr>`)}</tbody>
</table>`,
)}
</section>`,
  );
}
