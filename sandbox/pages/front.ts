// The front page: what the sandbox is, the magic values, and its controls.

import { CHAPTERS } from '../magic.ts';
import { depositForm } from './forms.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import { tokenForm } from './token.ts';

/** The page is built once, because its content is constant. */
export function frontPage(baseUrl: string): string {
  return page({
    title: 'Start',
    place: 'start',
    content: html`<h1>Ponte sandbox</h1>
<p>A banking provider and two identity providers that exist only on this machine. Balances, conversions and payouts are
real in every respect but one: there is no money in it.</p>
<p><a href="/console">The console</a> shows users, accounts, payments and callbacks, and decides how they end. Identity providers:
<a href="/identity/a/">a</a> and <a href="/identity/b/">b</a>. The provider's API is at <code>${baseUrl}/v1/</code>.</p>

<section><h2>Pay in</h2>
<p>Bank details as the app shows them: sort code and account number, or an IBAN.</p>
${depositForm()}</section>

<section><h2>Sign in with identity provider a</h2>${tokenForm('a')}</section>
<section><h2>Sign in with identity provider b</h2>${tokenForm('b')}</section>

<section><h2>Values that decide how things end</h2>
<p>Everything that is not named here succeeds.</p>
${CHAPTERS.map(
  ({ title, field, rows }) => html`<table class="magic">
<thead><tr><th>${title}: ${field}</th><th>What happens</th></tr></thead>
<tbody>${rows.map(({ value, meaning }) => html`<tr><td><code>${value}</code></td><td>${meaning}</td></tr>`)}</tbody>
</table>`,
)}
</section>`,
  });
}
