// The steps of a payment, and how many are done. A payment that left this path, or has an unknown status, shows no steps.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { t } from '../texts/t.ts';
import { Icon } from './icons.ts';

const STEPS = [t('Confirmed'), t('Converted to reais'), t('Sent by PIX'), t('Received')] as const;

/** The number of steps that are done, by status. */
const DONE: Record<string, number> = { quoted: 1, converting: 1, paying: 2, completed: 4 };

export function Progress({ status }: { status: string }): VNode | null {
  const done = Object.hasOwn(DONE, status) ? DONE[status] : undefined;
  if (done === undefined) return null;
  const stateOf = (at: number): string => (at < done ? 'done' : at === done ? 'now' : 'later');
  return html`
    <ol class="steps">
      ${STEPS.map(
        (step, at) => html`
      <li key=${step} class=${stateOf(at)} aria-current=${at === done ? 'step' : undefined}>
        <span class="dot" aria-hidden="true">${at < done && html`<${Icon} name="done" />`}</span>${step}
      </li>`,
      )}
    </ol>`;
}
