// A table. On a phone, a table of more than two columns becomes cards. Its roles are explicit, because a table displayed as blocks
// loses its implicit ones.
import { type Html, html, type Piece } from '../html.ts';

export interface Column {
  name: string;
  isNumber?: true;
}

/** @param caption what the rows are, for people who cannot see them. */
export function table(caption: string, columns: Column[], rows: Piece[][]): Html {
  const kind = ({ isNumber }: Column) => (isNumber ? html` class="number"` : '');
  return html`<table${columns.length > 2 ? html` class="cards"` : ''} role="table"><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col"${kind(column)}>${column.name}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, at) => {
        const column = columns[at] ?? { name: '' };
        return html`<td role="cell" data-label="${column.name}"${kind(column)}><span>${cell}</span></td>`;
      })}</tr>`,
  )}</tbody></table>`;
}
