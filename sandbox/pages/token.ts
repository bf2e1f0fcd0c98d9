// The page of an identity provider: a form, and the token it minted.
import type { ProviderLetter } from '../identity/keys.ts';
import { DEFAULT_AUDIENCE, withoutScheme } from '../identity/tokens.ts';
import { html } from './html.ts';
import { page } from './layout.ts';

const SECOND_ISSUER = html`<label class="tick"><input name="issuerWithoutScheme" type="checkbox"> Issuer without its scheme</label>`;

export function tokenForm(letter: ProviderLetter) {
  return html`<form method="post" action="/identity/${letter}/token">
  <label>Subject <input name="subject" required value="${letter}-user-1"></label>
  <label>Name <input name="name" autocomplete="off"></label>
  <label>E-mail <input name="email" type="email" autocomplete="off"></label>
  <label class="tick"><input name="emailVerified" type="checkbox" checked> E-mail is verified</label>
  <label>Nonce <input name="nonce" autocomplete="off"></label>
  ${letter === 'b' ? SECOND_ISSUER : ''}
  <button>Sign in as this person</button>
</form>`;
}

export function tokenPage(letter: ProviderLetter, issuer: string, idToken?: string): string {
  const minted = html`<section><h2>The ID token</h2>
<label>Send it to POST /auth/session within the hour
<textarea readonly>${idToken ?? ''}</textarea></label></section>`;
  const second = html` or <code>${withoutScheme(issuer)}</code>`;
  return page({
    title: `Identity provider ${letter}`,
    place: 'start',
    content: html`<h1>Identity provider ${letter}</h1>
<p>Issuer <code>${issuer}</code>${letter === 'b' ? second : ''}, audience <code>${DEFAULT_AUDIENCE[letter]}</code>,
keys at <a href="/identity/${letter}/jwks.json"><code>jwks.json</code></a>.</p>
${idToken ? minted : ''}
<section><h2>Sign in</h2>${tokenForm(letter)}</section>`,
  });
}
