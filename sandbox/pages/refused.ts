// The page of a refused change: the reason, and the way back.
import { html } from './html.ts';
import { page } from './layout.ts';

export function refusedPage(title: string, why: string, back: string): string {
  return page({
    title,
    place: 'overview',
    content: html`<h1>${title}</h1>
<p class="banner bad" role="alert">${why}</p>
<p>Nothing was changed. <a href="${back}">Back</a></p>`,
  });
}
