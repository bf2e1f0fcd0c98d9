// A part of a page that is fetched again while it is looked at. Without the script it is a part like any other.
import { type Html, html } from '../html.ts';

/** @param address the page's own. What did not change stays in place, with the focus that is in it. */
export const live = (address: string, content: Html): Html =>
  html`<div id="live" hx-get="${address}" hx-trigger="every 2s" hx-select="#live" hx-target="#live" hx-swap="outerMorph">${content}</div>`;
