// The page of fault injection: the chance of each fault, how often it was injected, and forms to change this.

import type { FaultInjection } from '../faults/fault-injection.ts';
import {
  FAULTS,
  GROUPS,
  type Group,
  type Kind,
  PARAMETERS,
  PROVIDER_FAULTS,
  REPLY_FAULTS,
} from '../faults/registry.ts';
import type { RequestedFault } from '../faults/requested.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';

const TITLES: Record<Group, string> = {
  replies: 'Replies',
  callbacks: 'Callbacks',
  business: 'Business',
  provider: 'An imperfect provider',
};

export function faultInjectionPage(
  faultInjection: FaultInjection,
  operations: string[],
  fault?: string,
): string {
  return page({
    title: 'Fault injection',
    place: 'faults',
    content: html`<h1>Fault injection</h1>
<p>What goes wrong by itself on calls under <code>/v1/</code>, for those who want to see how a client takes it.
Chances are from 0 to 1, and the same seed brings the same again. It is
<strong>${faultInjection.isOff() ? 'off' : 'on'}</strong> now. To decide about one payment only, use the buttons
of <a href="/console/payouts">the console</a>.</p>
${fault ? html`<p role="alert" class="banner bad">${fault}</p>` : ''}
<form method="post" action="/fault-injection" class="stacked">
${GROUPS.map((group) => groupOf(group, faultInjection))}
<section class="bar">
  <label>Seed <input name="seed" type="number" min="0" step="1" value="${faultInjection.configuration().seed}"></label>
  <button>Apply</button>
</section>
</form>
<div class="bar">
  <form method="post" action="/fault-injection/clear"><button class="danger">Stop all faults</button></form>
  <form method="post" action="/fault-injection/forget"><button class="second">Count from zero</button></form>
</div>
${nextCalls(faultInjection.requested.list(), operations)}`,
  });
}

function groupOf(group: Group, faultInjection: FaultInjection): Html {
  const configuration: Record<string, number> = faultInjection.configuration()[group];
  const counts = faultInjection.counts();
  const field = (name: string, max: number, step: string) =>
    html`<input name="${group}.${name}" aria-label="${name}" type="number" min="0" max="${max}" step="${step}"
value="${configuration[name] ?? 0}">`;
  return html`<section><h2>${TITLES[group]}</h2><table class="settings">
<thead><tr><th>Fault</th><th>What happens</th><th>Chance</th><th>So far</th></tr></thead>
<tbody>${Object.entries(FAULTS[group]).map(
    ([name, { sentence }]) => html`<tr><td><code>${name}</code></td><td>${sentence.replaceAll('`', '')}</td>
<td>${field(name, 1, 'any')}</td><td>${counts[`${group}.${name}` as Kind]}</td></tr>`,
  )}${Object.entries(PARAMETERS[group]).map(
    ([name, { meaning, max }]) => html`<tr><td><code>${name}</code></td><td>${meaning}</td>
<td>${field(name, max, '1')}</td><td></td></tr>`,
  )}</tbody></table></section>`;
}

function nextCalls(requested: readonly RequestedFault[], operations: string[]): Html {
  return html`<section><h2>The next calls</h2>
<p>A fault for the next so many calls of one operation, perhaps only those whose path or body holds a text.</p>
<form method="post" action="/fault-injection/next">
  <label>Operation <select name="operation">${options(operations)}</select></label>
  <label>Fault <select name="fault">${options([...REPLY_FAULTS, ...PROVIDER_FAULTS])}</select></label>
  <label>Times <input name="times" type="number" min="1" step="1" value="1"></label>
  <label>About <input name="about" maxlength="200" placeholder="any"></label>
  <label>Retry-After (error503, error429) <input name="retryAfterSeconds" type="number" min="0" step="1" placeholder="none"></label>
  <label>Details, as JSON <input name="details" maxlength="500" placeholder="{}"></label>
  <button>Order it</button>
</form>
${
  requested.length === 0
    ? ''
    : html`<table><thead><tr><th>Still to come</th><th>About</th></tr></thead><tbody>${requested.map(
        ({ operation, fault, times, about, details }) =>
          html`<tr><td><code>${operation}</code> ${fault}, ${times === 1 ? 'once' : `${times} times`}
${Object.entries(details).map(([name, value]) => html` ${name} ${value}`)}</td><td>${about || 'any'}</td></tr>`,
      )}</tbody></table>`
}</section>`;
}

const options = (values: readonly string[]) => values.map((value) => html`<option>${value}</option>`);
