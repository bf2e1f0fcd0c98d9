// Until when the phone offers a price, even if its clock is wrong.
import { expect, test } from 'vitest';
import { endOf } from '../../phone/app/quote-life.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const expiring = (inMs: number): string => new Date(NOW + inMs).toISOString();

test.each([
  ['as the API says', 42_000, 42_000],
  ['after 60 s, the most there is', 60_000, 60_000],
  ['60 s after its receipt where the phone’s clock is behind', 3_600_000, 60_000],
  ['60 s after its receipt where the phone’s clock is ahead', -3_600_000, 60_000],
])('a price expires %s', (_when, saidMs, heldMs) => {
  expect(endOf(expiring(saidMs), NOW) - NOW).toBe(heldMs);
});
