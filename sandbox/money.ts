// Decimal text at the edge, whole minor units inside.
import type { components } from '../openapi/generated/provider.ts';
import { refuse } from './provider/refusal.ts';

export type Currency = components['schemas']['Currency'];

export const PLACES: Record<Currency, number> = { GBP: 2, EUR: 2, BRL: 2, USDC: 6 };
export const CURRENCIES = Object.keys(PLACES) as Currency[];

/** The most that one movement may carry, in minor units; sums of many stay safe integers. */
const MOST_MINOR = 1_000_000_000_000n;

/** Parses an amount of a request; `name` is the field for the error. Zero and too many places are 400, too much is 422. */
export function readAmount(text: string, currency: Currency, name: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length !== PLACES[currency])
    throw refuse('invalid_request', `${name} must have ${PLACES[currency]} decimal places in ${currency}`);
  const minor = BigInt(whole + fraction);
  if (minor === 0n) throw refuse('invalid_request', `${name} must be greater than zero`);
  if (minor > MOST_MINOR) throw refuse('rejected', `${name} is more than is possible here`);
  return Number(minor);
}

export function writeAmount(minor: number, currency: Currency): string {
  const digits = String(Math.abs(minor)).padStart(PLACES[currency] + 1, '0');
  const cut = digits.length - PLACES[currency];
  return `${minor < 0 ? '-' : ''}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** Minor units of any decimal text, zero included; surplus places are truncated. */
export function toMinor(text: string, currency: Currency): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(PLACES[currency], '0').slice(0, PLACES[currency]));
}
