// The layout of all pages: one column. Pages fetch nothing from other sites, and only live pages have a script.
import { type Html, html } from './html.ts';
import { navigation, type Place } from './navigation.ts';
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
