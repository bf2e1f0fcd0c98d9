// The delay before an effect with an unknown outcome is retried.
import { describe, expect, test } from 'vitest';
import { afterAttempt, StillInFlight } from '../../src/outbox/backoff.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const unknown = (options: { retryAfterMs?: number; sent?: boolean } = {}) =>
  new OutcomeUnknown('createPayout', 'no usable answer', options);

/** Delays have jitter, so each is drawn many times. */
const delaysAfter = (before: number, error: unknown): number[] =>
  Array.from({ length: 50 }, () => afterAttempt(before, error).delayMs);

const outside = (min: number, max: number, delays: number[]): number[] =>
  delays.filter((delay) => delay < min || delay > max);

test.each([
  [0, SECOND],
  [2, 5 * SECOND],
  [5, 40 * SECOND],
  [7, 4 * MINUTE],
  [12, 10 * MINUTE],
  [149, 10 * MINUTE],
])(
  'after an unknown outcome with %i attempts before, the next attempt is in about %i ms',
  (before, delayMs) => {
    expect(afterAttempt(before, unknown()).attempts).toBe(before + 1);
    expect(outside(0.8 * delayMs, 1.2 * delayMs, delaysAfter(before, unknown()))).toEqual([]);
  },
);

test('the next attempt is at the time that the provider requested, but within an hour', () => {
  expect(new Set(delaysAfter(0, unknown({ retryAfterMs: MINUTE })))).toEqual(new Set([MINUTE]));
  const aWholeNight = unknown({ retryAfterMs: 600 * MINUTE });
  expect(new Set(delaysAfter(0, aWholeNight))).toEqual(new Set([60 * MINUTE]));
});

test('a call that was not sent does not count as an attempt, and is retried soon', () => {
  const unsent = unknown({ sent: false });
  expect(afterAttempt(12, unsent).attempts).toBe(12);
  expect(outside(4 * SECOND, 8 * SECOND, delaysAfter(12, unsent))).toEqual([]);
});

describe('a pending refusal', () => {
  const refused = new StillInFlight('startPayout', 'refused', 20 * SECOND);

  test('a pending refusal is retried as soon as it can be definitive, however often it was tried', () => {
    expect(afterAttempt(12, refused).attempts).toBe(13);
    expect(outside(20 * SECOND, 21 * SECOND, delaysAfter(12, refused))).toEqual([]);
  });

  test('a pending refusal may be retried sooner, because the earlier request may be found by then', () => {
    expect(outside(0.8 * SECOND, 1.2 * SECOND, delaysAfter(0, refused))).toEqual([]);
  });
});
