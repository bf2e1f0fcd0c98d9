// The time on the clocks of São Paulo. Brazil had summer time until 2019.
import { expect, test } from 'vitest';
import { saoPauloTime } from '../../src/domain/sao-paulo-time.ts';

test.each([
  ['2026-03-02T12:00:31.845Z', '2026-03-02T09:00:31-03:00'],
  ['2026-01-01T02:59:59.999Z', '2025-12-31T23:59:59-03:00'],
  ['2026-01-01T03:00:00.000Z', '2026-01-01T00:00:00-03:00'],
  ['2018-12-24T12:00:00.000Z', '2018-12-24T10:00:00-02:00'],
])('%s is %s in São Paulo', (utc, local) => {
  expect(saoPauloTime(new Date(utc))).toBe(local);
  expect(Math.floor(Date.parse(utc) / 1_000) * 1_000).toBe(Date.parse(local));
});
