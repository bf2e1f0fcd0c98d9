// The layout of all pages: one column, nothing fetched from elsewhere, and a script only where a page is live.
import { type Html, html } from './html.ts';
import { navigation, type Place } from './navigation.ts';
import { STYLE } from './style.ts';

export interface Page {
  title: string;
  content: Html;
  /** Where it stands in the navigation; a page without a place is for the users of the app, and has none. */
  place?: Place;
  /** Loads htmx, for parts that change while they are looked at. */
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

/** A page with one message, for the users of the app. @param back where the app is, if the way back is known. */
export function notice(title: string, text: string, back?: string): string {
  const link = back === undefined ? '' : html`<p><a href="${back}">Back to the app</a></p>`;
  return page({ title, content: html`<h1>${title}</h1><p>${text}</p>${link}` });
}
