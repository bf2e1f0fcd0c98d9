// A part of a page that is fetched again while the page is open. Without the script it is an ordinary part.
import { type Html, html } from '../html.ts';

/** @param address the page's own address. Unchanged elements stay in place, so the focus is kept. */
export const live = (address: string, content: Html): Html =>
  html`<div id="live" hx-get="${address}" hx-trigger="every 2s" hx-select="#live" hx-target="#live" hx-swap="outerMorph">${content}</div>`;
