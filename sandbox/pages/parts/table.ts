// A table; one of more than two columns becomes cards on a phone. The roles are said, because a table that is shown as blocks loses its own.
import { type Html, html, type Piece } from '../html.ts';

export interface Column {
  name: string;
  isNumber?: true;
}

/** @param caption what the rows are, for those who do not see them. */
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
