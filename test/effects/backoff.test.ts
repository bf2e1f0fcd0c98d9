// When an effect whose outcome is unknown is tried again.
import { describe, expect, it } from 'vitest';
import { afterAttempt } from '../../src/effects/backoff.ts';
import { StillInFlight } from '../../src/effects/in-flight.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const unknown = (options: { retryAfterMs?: number; sent?: boolean } = {}) =>
  new OutcomeUnknown('createPayout', 'no usable answer', options);

/** Delays are spread, so each is drawn many times. */
const delaysAfter = (before: number, error: unknown): number[] =>
  Array.from({ length: 50 }, () => afterAttempt(before, error).delayMs);

const outside = (least: number, most: number, delays: number[]): number[] =>
  delays.filter((delay) => delay < least || delay > most);

describe('after an unknown outcome', () => {
  it.each([
    [0, SECOND],
    [2, 5 * SECOND],
    [5, 40 * SECOND],
    [7, 4 * MINUTE],
    [12, 10 * MINUTE],
    [149, 10 * MINUTE],
  ])('%i attempts before, the next one is in about %i ms', (before, delayMs) => {
    expect(afterAttempt(before, unknown()).attempts).toBe(before + 1);
    expect(outside(0.8 * delayMs, 1.2 * delayMs, delaysAfter(before, unknown()))).toEqual([]);
  });

  it('the next one is when the provider has asked for it, within an hour', () => {
    expect(new Set(delaysAfter(0, unknown({ retryAfterMs: MINUTE })))).toEqual(new Set([MINUTE]));
    const aWholeNight = unknown({ retryAfterMs: 600 * MINUTE });
    expect(new Set(delaysAfter(0, aWholeNight))).toEqual(new Set([60 * MINUTE]));
  });
});

describe('what was never sent', () => {
  it('has not been tried, however often before, and has its next turn soon', () => {
    const unsent = unknown({ sent: false });
    expect(afterAttempt(12, unsent).attempts).toBe(12);
    expect(outside(4 * SECOND, 8 * SECOND, delaysAfter(12, unsent))).toEqual([]);
  });
});

describe('a refusal that an earlier request keeps from being believed', () => {
  const refused = new StillInFlight('startPayout', 'refused', 20 * SECOND);

  it('is heard again no later than when it will be, however often it was tried', () => {
    expect(afterAttempt(12, refused).attempts).toBe(13);
    expect(outside(20 * SECOND, 21 * SECOND, delaysAfter(12, refused))).toEqual([]);
  });

  it('may be heard sooner: by then the earlier request may be found', () => {
    expect(outside(0.8 * SECOND, 1.2 * SECOND, delaysAfter(0, refused))).toEqual([]);
  });
});
