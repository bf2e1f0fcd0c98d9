// Amounts are decimal text at the edge, and whole minor units inside.
import type { components } from '../openapi/generated/provider.ts';
import { refuse } from './provider/refusal.ts';

export type Currency = components['schemas']['Currency'];

export const PLACES: Record<Currency, number> = { GBP: 2, EUR: 2, BRL: 2, USDC: 6 };
export const CURRENCIES = Object.keys(PLACES) as Currency[];

/** The largest amount of one movement, in minor units. Sums of many movements stay safe integers. */
const MAX_MINOR = 1_000_000_000_000n;

/**
 * Parses an amount of a request. `name` is the field that an error names. Zero and too many places are refused with 400, too large
 * an amount with 422.
 */
export function readAmount(text: string, currency: Currency, name: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length !== PLACES[currency])
    throw refuse('invalid_request', `${name} must have ${PLACES[currency]} decimal places in ${currency}`);
  const minor = BigInt(whole + fraction);
  if (minor === 0n) throw refuse('invalid_request', `${name} must be greater than zero`);
  if (minor > MAX_MINOR) throw refuse('rejected', `${name} is more than is possible here`);
  return Number(minor);
}

export function writeAmount(minor: number, currency: Currency): string {
  const digits = String(Math.abs(minor)).padStart(PLACES[currency] + 1, '0');
  const cut = digits.length - PLACES[currency];
  return `${minor < 0 ? '-' : ''}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** Converts any decimal text, zero included, to minor units. Surplus places are truncated. */
export function toMinor(text: string, currency: Currency): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(PLACES[currency], '0').slice(0, PLACES[currency]));
}
