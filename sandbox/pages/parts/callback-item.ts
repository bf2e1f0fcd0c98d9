// A callback as a list item: its time, its resource, the receiver's answer, and buttons.
import type { LoggedCallback } from '../../callback-log.ts';
import { type Html, html } from '../html.ts';
import { badge } from './badge.ts';
import { link, SINGULAR } from './links.ts';
import { timeOfDay } from './time.ts';

export const itemId = ({ id }: { id: number }): string => `callback-${id}`;

export const callbackItem = (callback: LoggedCallback): Html => html`<li id="${itemId(callback)}">
<span class="when">${timeOfDay(callback.createdAt)}</span>
<span class="what"><a href="/console/callbacks/${callback.id}"><code>${callback.event}</code></a> ${summary(callback)}
<br><span class="how">${link(callback.resource, callback.uuid, html`${SINGULAR[callback.resource]} <code>…${callback.uuid.slice(-8)}</code>`)} · ${delivery(callback)}</span></span>
<span class="state">${badge(callback.state)}</span></li>`;

/** Summarises what the body reports in a few words. */
function summary({ body }: LoggedCallback): string {
  const { data } = JSON.parse(body) as { data: Record<string, string | undefined> };
  const { status, kind, amount = '', currency = '', direction = '' } = data;
  return kind === undefined ? (status ?? '') : `${direction} ${kind} ${amount} ${currency}`;
}

function delivery({ state, attempts, dueAt }: LoggedCallback): Html {
  const last = attempts.at(-1);
  const answered = last
    ? last.status === null
      ? 'no answer'
      : `answered ${last.status} in ${last.ms} ms`
    : 'not sent';
  const times = attempts.length > 1 ? `, ${attempts.length} attempts` : '';
  return html`${answered}${times}${state === 'waiting' ? html`, next at ${timeOfDay(dueAt)}` : ''}`;
}
