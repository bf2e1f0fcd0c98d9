// The layout of all pages: one column. Pages fetch nothing from other sites, and only live pages have a script.
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface Page {
  title: string;
  content: Html;
  /** The page's place in the navigation. A page without a place is for the users of the app, and has no navigation. */
  place?: Place;
  /** Whether the page loads htmx, for parts that change while it is open. */
  isLive?: boolean;
}

export function page({ title, content, place, isLive }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${place === undefined ? title : `${title} · Ponte sandbox`}</title>
<link rel="icon" href="data:,">
<style>${css}</style>
${isLive ? html`<script src="/console/assets/htmx.js" defer></script>` : ''}
</head>
<body>${place === undefined ? '' : navigation(place)}<main id="main">${content}</main></body>
</html>
`.text;
}

const css = html([STYLE] as unknown as TemplateStringsArray);

/**
 * A page with one message, for the users of the app.
 * @param back the address of the app, if it is known.
 */
export function notice(title: string, text: string, back?: string): string {
  const link = back === undefined ? '' : html`<p><a href="${back}">Back to the app</a></p>`;
  return page({ title, content: html`<h1>${title}</h1><p>${text}</p>${link}` });
}

const PLACES = {
  start: ['/', 'Start'],
  overview: ['/console', 'Console'],
  users: ['/console/owners', 'Users'],
  accounts: ['/console/accounts', 'Accounts'],
  conversions: ['/console/transfers', 'Conversions'],
  payouts: ['/console/payouts', 'Payouts'],
  charges: ['/console/charges', 'Charges'],
  callbacks: ['/console/callbacks', 'Callbacks'],
  ledger: ['/console/ledger', 'Ledger'],
  faults: ['/fault-injection', 'Faults'],
} as const;

export type Place = keyof typeof PLACES;

const navigation = (here: Place): Html => html`<a class="skip" href="#main">To the content</a>
<header class="site"><nav aria-label="Sandbox">
${Object.entries(PLACES).map(
  ([place, [address, name]]) =>
    html`<a href="${address}"${place === 'start' ? html` class="brand"` : ''}${
      place === here ? html` aria-current="page"` : ''
    }>${place === 'start' ? 'Ponte sandbox' : name}</a>`,
)}
</nav></header>`;

export function refusedPage(title: string, why: string, back: string): string {
  return page({
    title,
    place: 'overview',
    content: html`<h1>${title}</h1>
<p class="banner bad" role="alert">${why}</p>
<p>Nothing was changed. <a href="${back}">Back</a></p>`,
  });
}
