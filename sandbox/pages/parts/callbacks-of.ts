// The callbacks of one resource, as a section of its page.
import type { LoggedCallback } from '../../callback-log.ts';
import { type Html, html } from '../html.ts';
import { callbackItem } from './callback-item.ts';

const SHOWN = 10;

export function callbacksSection(callbacks: LoggedCallback[], url: string | null): Html {
  return html`<section><h2>Callbacks</h2>
${url === null ? html`<p>It has no callback address, so none are sent.</p>` : html`<p>Sent to <code>${url}</code>. Open one to send it again, later or never.</p>`}
${callbacks.length === 0 ? html`<p>None yet.</p>` : html`<ol class="feed">${callbacks.slice(0, SHOWN).map(callbackItem)}</ol>`}
</section>`;
}
