// Reads values of a control's body: JSON has numbers, a form has text.
import { LOST } from '../faults/callback-sent.ts';
import { refuse } from '../provider/refusal.ts';
import type { Fate } from '../seams.ts';

const MAX_MS = 86_400_000;

/** Reads a delay in milliseconds, at most a day. */
export function delayIn(body: Record<string, unknown>, name: string, otherwise: number): number {
  const value = body[name] ?? otherwise;
  const ms = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= MAX_MS) return ms;
  throw refuse('invalid_request', `${name} must be a whole number of milliseconds from 0 to ${MAX_MS}`);
}

export const textOr = (value: unknown, otherwise: string): string =>
  (typeof value === 'string' ? value.trim().slice(0, 200) : '') || otherwise;

export function oneOf<Value extends string>(
  list: readonly Value[],
  body: Record<string, unknown>,
  name: string,
  otherwise: Value,
): Value {
  const value = body[name] ?? otherwise;
  const found = list.find((one) => one === value);
  if (found === undefined) throw refuse('invalid_request', `${name} must be one of ${list.join(', ')}`);
  return found;
}

/** Returns decimal text with two places. Accepts an amount without decimals. */
export function withPlaces(amount: string): string {
  if (/^\d{1,12}$/.test(amount)) return `${amount}.00`;
  if (/^\d{1,12}\.\d{2}$/.test(amount)) return amount;
  throw refuse('invalid_request', 'amount must be decimal text with two places');
}

const LATE_MS = 10_000;

/**
 * Reads the delivery that a tester chooses for the callbacks of one change: `{ "callback": "lost" }` or `"late"`. Null if fault
 * injection decides it.
 */
export function fateIn(body: object): Fate | null {
  const fields = body as Record<string, unknown>;
  switch (fields['callback'] ?? '') {
    case '':
      return null;
    case 'lost':
      return LOST;
    case 'late':
      return { delaysMs: [delayIn(fields, 'callbackDelayMs', LATE_MS)], isDelayed: false };
    default:
      throw refuse('invalid_request', 'callback must be "lost" or "late"');
  }
}
