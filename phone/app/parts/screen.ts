// The frame of every screen: a heading, which gets the focus when the screen opens, and a link back.
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/t.ts';
import { Icon } from './icons.ts';

type Props = { title: string; back?: string; children: ComponentChildren };

export function Screen({ title, back, children }: Props): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Ponte`;
    heading.current?.focus();
    scrollTo(0, 0);
    // On a wide screen the phone's frame scrolls instead of the page.
    heading.current?.closest('#phone')?.scrollTo(0, 0);
  }, [title]);
  return html`
    <main class="screen">
      <header class="bar">
        ${
          back !== undefined &&
          html`
        <a class="round" href=${back} aria-label=${t('Back')}><${Icon} name="back" /></a>`
        }
        <h1 ref=${heading} tabindex="-1">${title}</h1>
      </header>
      ${children}
    </main>`;
}
