// A list of names and values. A value that a person needs elsewhere can be copied.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/t.ts';
import { Icon } from './icons.ts';

export type Fact = { name: string; value: string | null | undefined; isCopied?: boolean; isCode?: boolean };

/** Omits facts without a value. */
export const Facts = ({ facts }: { facts: Fact[] }): VNode => html`
  <dl class="facts">
    ${facts.map(
      ({ name, value, isCopied, isCode }) =>
        value &&
        html`
      <div key=${name}>
        <dt>${name}</dt>
        <dd>
          <span class=${isCode ? 'code' : ''}>${value}</span>
          ${isCopied && html`<${Copy} name=${name} value=${value} />`}
        </dd>
      </div>`,
    )}
  </dl>`;

function Copy({ name, value }: { name: string; value: string }): VNode {
  const [isDone, setDone] = useState(false);
  const copy = (): void =>
    void navigator.clipboard?.writeText(value).then(
      () => setDone(true),
      () => setDone(false),
    );
  return html`
    <button type="button" class="round small" aria-label=${t('Copy {name}', { name })} onClick=${copy}>
      <${Icon} name=${isDone ? 'done' : 'copy'} />
    </button>
    <span class="unseen" role="status">${isDone ? t('Copied') : ''}</span>`;
}
