// The page of a callback: its body, its attempts, and the buttons that send it again, later or never.

import type { Attempt, LoggedCallback } from '../../callback-log.ts';
import type { SandboxContext } from '../../context.ts';
import { refuse } from '../../provider/refusal.ts';
import { delayForm } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { badge, facts, fullTime, link, resourcePage, SINGULAR, timeOfDay } from '../parts.ts';

export function callbackPage(context: SandboxContext, id: number, done?: string): string {
  const callback = context.callbackLog.get(id);
  if (!callback)
    throw refuse('not_found', 'no such callback: the sandbox remembers the last 500 of this run');
  const { event, resource, uuid, state, createdAt, dueAt, attempts, body } = callback;
  return resourcePage(
    { title: `Callback ${event}`, place: 'callbacks', address: `/console/callbacks/${id}`, done },
    html`<a href="/console/callbacks">Callbacks</a>`,
    html`<h1>${event} ${badge(state)}</h1>
<p>A callback about ${link(resource, uuid, `this ${SINGULAR[resource]}`)}. It is sent until the receiver answers with a 2xx, for a day.</p>
${controls(context, callback)}
<section>${facts([
      ['Written', fullTime(createdAt)],
      ['Next attempt', state === 'waiting' ? fullTime(dueAt) : null],
      ['Attempts', attempts.length === 0 ? 'none' : attemptsList(attempts)],
    ])}</section>
<section><h2>Body</h2><pre tabindex="0">${JSON.stringify(JSON.parse(body), null, 2)}</pre></section>`,
  );
}

function controls({ baseUrl }: SandboxContext, { id, state }: LoggedCallback): Html {
  const address = `/sandbox/callbacks/${id}`;
  const waits = state === 'waiting';
  const actions = waits ? ['resend', 'lose', 'delay'] : ['resend'];
  return html`<section><h2>Decide</h2>
<form method="post"><div class="buttons"><button formaction="${address}/resend">${waits ? 'Send it now' : 'Send it again'}</button>
${waits ? html`<button class="danger" formaction="${address}/lose">Lose it</button>` : ''}</div></form>
${waits ? delayForm(`${address}/delay`) : ''}
<details><summary>The same over HTTP</summary><pre tabindex="0">${actions.map((action) => `curl -X POST ${baseUrl}${address}/${action}`).join('\n')}</pre></details>
</section>`;
}

const attemptsList = (attempts: Attempt[]): Html =>
  html`<ol class="steps">${attempts.map(
    ({ at, status, ms }) =>
      html`<li>${timeOfDay(at)}: ${status === null ? 'no answer' : `answered ${status}`} in ${ms} ms</li>`,
  )}</ol>`;
