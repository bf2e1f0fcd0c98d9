// The console's first page: how much there is of everything, what waits for a decision, and what to do first.

import { countOf } from '../../console/lists.ts';
import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { type Html, html } from '../html.ts';
import { page } from '../layout.ts';
import { live, theApp } from '../parts.ts';
import { callbackItem } from '../sections.ts';

const SHOWN = 5;

export function overviewPage(context: SandboxContext): string {
  const callbacks = callbacksOf(context);
  return page({
    title: 'Console',
    place: 'overview',
    isLive: true,
    content: html`<h1>Console</h1>
<p>The provider's side of everything: see what the app has done, decide how it ends, and watch the callbacks that report it.</p>
<form class="search" role="search" action="/console/find"><label>A uuid, a handle, an end-to-end id, a voucher or an account number
<input name="q" required maxlength="100" autocomplete="off"></label><button class="second">Find</button></form>
${live(
  '/console',
  html`<div class="tiles">${tile('/console/owners', 'Users', countOf(context, 'owners'))}${tile('/console/accounts', 'Accounts', countOf(context, 'accounts'))}
${tile('/console/transfers?status=PENDING', 'Pending conversions', countOf(context, 'transfers', 'PENDING'))}
${tile('/console/payouts?status=PENDING', 'Pending payouts', countOf(context, 'payouts', 'PENDING'))}
${tile('/console/callbacks', 'Callbacks of this run', callbacks.length)}</div>
${countOf(context, 'payouts') === 0 ? firstSteps(context) : ''}
<section><h2>Latest callbacks</h2>${
    callbacks.length === 0
      ? html`<p>None yet.</p>`
      : html`<ol class="feed">${callbacks.slice(0, SHOWN).map(callbackItem)}</ol><p><a href="/console/callbacks">All of them, as they happen</a></p>`
  }</section>`,
)}`,
  });
}

const tile = (address: string, name: string, count: number): Html =>
  html`<a href="${address}"><strong>${count}</strong>${name}</a>`;

const firstSteps = (
  context: SandboxContext,
): Html => html`<section><h2>What to do first</h2><ol class="steps">
<li>Sign in to ${theApp(context)}: an ID token is on <a href="/">the start page</a>.</li>
<li>Start the verification there, then complete it under <a href="/console/owners">Users</a>.</li>
<li>Pay money in under <a href="/console/accounts">Accounts</a>.</li>
<li>Pay the PIX key <code>slow@pix.example</code> in the app, and decide under <a href="/console/payouts">Payouts</a> how it ends.</li>
</ol></section>`;
