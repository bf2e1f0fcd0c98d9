// The facts about a resource, as names and values.
import { type Html, html, type Piece } from '../html.ts';

/** Omits facts that have no value. */
export function facts(list: [name: string, value: Piece | null][]): Html {
  const known = list.filter((fact): fact is [string, Piece] => fact[1] !== null && fact[1] !== '');
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}
