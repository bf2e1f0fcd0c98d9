// The content of a page without rows: what to do first.
import { type Html, html } from '../html.ts';

export const empty = (what: string, first: Html): Html =>
  html`<section class="empty"><h2>${what}</h2><p>${first}</p></section>`;
