// Times for people: UTC, as everything on the wire.
import { isoTime } from '../../time.ts';
import { type Html, html } from '../html.ts';

export const fullTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC</time>`;

/** For a column that says UTC in its name. */
export const columnTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')}</time>`;

/** The time of day alone, for lists of what happens now. */
export const timeOfDay = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${isoTime(ms)}">${isoTime(ms).slice(11, 19)}</time>`;
