// The filters above a list, and the link to its older rows.
import { type Html, html } from '../html.ts';

export function filters(address: string, statuses: string[], current: string | undefined): Html {
  return html`<ul class="filters" aria-label="Only those with a status">${[
    item('all', address, current === undefined),
    ...statuses.map((status) => item(status, `${address}?status=${status}`, status === current)),
  ]}</ul>`;
}

const item = (text: string, href: string, isHere: boolean): Html =>
  html`<li><a href="${href}"${isHere ? html` aria-current="true"` : ''}>${text}</a></li>`;

export function older(
  address: string,
  next: number | null,
  query: Record<string, string | undefined> = {},
): Html {
  if (next === null) return html``;
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = new URLSearchParams([...given, ['before', String(next)]]);
  return html`<p><a href="${address}?${search.toString()}">Older ones</a></p>`;
}
