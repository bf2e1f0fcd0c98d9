// A message in a frame.
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { t } from '../texts/t.ts';
import { Icon, type IconName } from './icons.ts';

type Props = { kind: 'good' | 'wait' | 'bad' | 'plain'; title?: string; children?: ComponentChildren };

const icons: Record<Props['kind'], IconName> = { good: 'good', wait: 'wait', bad: 'alert', plain: 'shield' };

export const Note = ({ kind, title, children }: Props): VNode => html`
  <div class=${`note ${kind}`}>
    <${Icon} name=${icons[kind]} />
    <div>
      ${title && html`<p class="strong">${title}</p>`}
      ${children}
    </div>
  </div>`;

export const InTheSandbox = ({ children }: { children?: ComponentChildren }): VNode => html`
  <aside class="sandbox" aria-label=${t('In the sandbox')}>
    <p class="pill">${t('In the sandbox')}</p>
    ${children}
  </aside>`;

/** Says that something is being read. */
export const Loading = ({ what }: { what: string }): VNode => html`
  <p class="loading" role="status"><span class="spinner" aria-hidden="true"></span> ${what}</p>`;
