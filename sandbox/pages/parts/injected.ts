// The faults that were injected into one resource.
import { isoTime } from '../../time.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';
import { table } from './table.ts';

export function injectedFaults({ faultInjection }: World, uuid: string): Html {
  const rows = faultInjection.injected(uuid);
  if (rows.length === 0) return html``;
  return html`<section><h2>Injected faults</h2>
<p><a href="/fault-injection">Fault injection</a> did this to it: its client may have received other answers than you see here.</p>
${table(
  'Injected faults',
  [{ name: 'Time' }, { name: 'Fault' }, { name: 'Details' }],
  rows.map(({ at, kind, details }) => [
    isoTime(at),
    html`<code>${kind}</code>`,
    html`<code>${details}</code>`,
  ]),
)}</section>`;
}
