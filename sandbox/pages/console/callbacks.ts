// The page that shows callbacks as they happen: its list grows while it is open.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { callbackItem } from '../sections.ts';

const SHOWN = 100;

export function callbacksPage(context: SandboxContext): string {
  const since = context.callbackLog.version();
  const callbacks = callbacksOf(context).slice(0, SHOWN);
  return page({
    title: 'Callbacks',
    place: 'callbacks',
    isLive: true,
    content: html`<h1>Callbacks</h1>
<p>What the provider reports to the app's back end, the newest first, as it happens. Open one to send it again, later or never. To lose or
delay them by chance, use <a href="/fault-injection">fault injection</a>.</p>
<section><h2>As they happen</h2>
${callbacks.length === 0 ? html`<p>None yet. <a href="/console/accounts">Pay money in</a>, and its callback appears here.</p>` : ''}
<div role="log" aria-live="polite" aria-label="Callbacks, the newest first"><ol class="feed" id="feed"
hx-sse:connect="/console/callbacks/live?since=${since}" hx-swap="upsert sort:desc">${callbacks.map(callbackItem)}</ol></div>
</section>`,
  });
}
