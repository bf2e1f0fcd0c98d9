// Times for people, in UTC like everything on the wire.
import { isoTime } from '../../time.ts';
import { type Html, html } from '../html.ts';

export const fullTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC</time>`;

/** For a column whose name says UTC. */
export const columnTime = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}">${isoTime(ms).slice(0, 19).replace('T', ' ')}</time>`;

/** The time of day alone, for lists of current events. */
export const timeOfDay = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${isoTime(ms)}">${isoTime(ms).slice(11, 19)}</time>`;
