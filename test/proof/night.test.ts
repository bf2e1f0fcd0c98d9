// The simulation of a night runs the service's own planning of slices.
import { expect, test } from 'vitest';
import { simulateNight } from '../../proof/night/night.ts';

const load = {
  perSecond: { payouts: 10 },
  accounts: 0,
  pageMs: 150,
  windows: {
    payouts: [{ from: new Date('2026-11-25T01:00:00.000Z'), to: new Date('2026-11-26T02:00:00.000Z') }],
  },
};

test('a simulated night reads every object of its window once or more', () => {
  const night = simulateNight({ ...load, workers: 1 });
  // The window has a day and an hour of overlap. The first object of a page repeats the last one of the page before.
  expect(night.objects - (night.pages - night.slices)).toBe(25 * 60 * 60 * 10);
  expect(night.tookMs).toBe(night.pages * 150);
});

test('a simulated night is shorter with more workers', () => {
  const [one, sixteen] = [1, 16].map((workers) => simulateNight({ ...load, workers }));
  expect((one?.tookMs ?? 0) / (sixteen?.tookMs ?? 1)).toBeGreaterThan(10);
});

test('a simulated night scans a sixth of the accounts, five concurrently', () => {
  const night = simulateNight({ ...load, perSecond: {}, accounts: 6_000, workers: 1 });
  expect(night.accounts).toBe(1_000);
  expect(night.tookMs).toBe(200 * 150);
});
