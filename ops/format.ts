// Formats values for people: ages, times, amounts, the colours of states.
import type { Currency } from '../src/domain/currency.ts';
import { formatDecimal } from '../src/domain/money.ts';
import type { Style } from './output.ts';

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
];

/** Formats the distance of a time from now in the largest unit that fits: `3 h` (ago), `in 40 s`, `now`. */
export function age(at: Date | null, now: Date): string {
  if (at === null) return '';
  const ms = now.getTime() - at.getTime();
  const length = span(Math.abs(ms));
  if (length === '') return 'now';
  return ms < 0 ? `in ${length}` : length;
}

/** Formats a duration in the largest unit that fits. Returns the empty string for less than a second. */
export function span(ms: number): string {
  const unit = units.find((one) => ms >= one.ms);
  return unit ? `${Math.floor(ms / unit.ms)} ${unit.name}` : '';
}

/** Formats a time in UTC with milliseconds: `2026-11-21 18:41:47.123`. */
export const moment = (at: Date): string => at.toISOString().slice(0, -1).replace('T', ' ');

/** Formats an amount, given in minor units of `currency`: `GBP 35.82`. The rest of a conversion can be negative. */
export const amount = (minor: number | null, currency: string): string =>
  minor === null
    ? ''
    : `${currency} ${minor < 0 ? '-' : ''}${formatDecimal(Math.abs(minor), currency as Currency)}`;

/** Formats a number with its noun: `1 attempt`, `3 attempts`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Formats the rate of long work, as an addition to its progress. @param begunMs when it began, by the clock of `performance`. */
export const rateOf = (done: number, begunMs: number): string =>
  `, ${Math.round((done * 1_000) / Math.max(1, performance.now() - begunMs))} a second`;

/** Formats named counters: `12 payments, 3 deposits`; `nothing` if there are none. */
export const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, number]) => `${number} ${what}`)
    .join(', ') || 'nothing';

/** Puts untrusted text on one line and removes the control characters that a terminal would interpret. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();

/** The answer to an id of something other than a payment. Operators often have the id of a transaction. */
export const noSuchPayment = (id: string): string =>
  `There is no PIX payment ${id}. If it is another id of the payment, this names the payment: show ${id}`;

const red = new Set(['manual_review', 'exhausted', 'unmatched', 'failed', 'unreachable']);
const yellow = new Set(['payout_failed', 'refunding', 'received', 'queued', 'paused']);
const green = new Set(['completed', 'applied', 'done', 'active', 'refunded']);

/**
 * Chooses the colour of a state: red for a failure or a row that waits for an operator, yellow for a row that may still complete, green
 * for a good end.
 */
export function paintState(state: string, style: Style): (text: string) => string {
  if (red.has(state)) return style.red;
  if (yellow.has(state)) return style.yellow;
  return green.has(state) ? style.green : (text) => text;
}
