// What stands between us and the provider, over real HTTP: how many calls at once, how long to stay away, whether to ask
// at all, and that whatever is turned away was never sent.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OutcomeUnknown } from '../../src/provider/errors.ts';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, TIMEOUT_MS, type Way } from './support.ts';

const times = <Result>(count: number, act: () => Result): Result[] => Array.from({ length: count }, act);
const sent = ({ proxy }: Way) => proxy.count('findPayouts');
const unsent = expect.objectContaining({ sent: false }) as unknown;

describe('a flood of work', () => {
  it(
    'does not keep a person waiting, and is let through to the cap alone',
    onTheWay(async (way) => {
      const hanging = way.proxy.spoil({
        operation: 'findPayouts',
        spoilt: 'late',
        forwarded: true,
        times: 6,
      });
      const work = Promise.all(times(30, () => lookAs.background(way)));
      await until(
        async () => hanging.hits(),
        (hits) => hits === 6,
      );
      expect(way.provider.state().load.background).toEqual({ underWay: 6, waiting: 24 });
      await lookAs.interactive(way);
      expect(way.provider.state().load.background).toEqual({ underWay: 6, waiting: 24 });
      // Work has waited, and all of it is done.
      expect(await work).toHaveLength(30);
    }),
  );

  it(
    'is sent within five seconds or never: what is decided goes by that',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'late', forwarded: true, times: 100 });
      const ends = await Promise.all(times(30, () => endOf(lookAs.background(way))));
      // Six at a time, a second and a half each: the last six would have had their turn after six seconds.
      expect(ends.filter((end) => end === 'unsent').length).toBeGreaterThanOrEqual(6);
      expect(ends.filter((end) => end === 'done')).toHaveLength(sent(way));
    }),
  );

  it(
    'that hangs makes people wait no longer than they can',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
      const begun = performance.now();
      const ends = await Promise.all(times(10, () => endOf(lookAs.interactive(way))));
      // The last ones got their turn when there was no time left for a call.
      expect(ends.filter((end) => end === 'unsent').length).toBeGreaterThanOrEqual(4);
      expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS + 3_000);
      expect(sent(way)).toBe(6);
    }),
  );

  it(
    'is sent away when the process ends, not left to hang',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
      const ends = times(20, () => endOf(lookAs.background(way)));
      await until(
        async () => sent(way),
        (count) => count === 6,
      );
      await way.provider.close();
      expect((await Promise.all(ends)).toSorted()).toEqual([
        ...times(6, () => 'unknown'),
        ...times(14, () => 'unsent'),
      ]);
    }),
  );
});

describe('a person’s read that fails', () => {
  it.each([
    ['503', { status: 503 }],
    ['429', { status: 429 }],
    ['502', { status: 502 }],
    ['a closed connection', 'drop'],
    ['503, back in a second', { status: 503, retryAfter: 1 }],
  ] as const)(
    'with %s is made once more',
    onTheWay(async (way, _what, spoilt) => {
      const fault = way.proxy.spoil({ operation: 'findPayouts', spoilt, forwarded: false });
      expect(await lookAs.interactive(way)).toBeNull();
      expect([fault.hits(), sent(way)]).toEqual([1, 2]);
    }),
  );

  it(
    'twice has failed',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: { status: 503 }, forwarded: false, times: 3 });
      expect(await endOf(lookAs.interactive(way))).toBe('unknown');
      expect(sent(way)).toBe(2);
    }),
  );

  it.each([
    ['401', { status: 401 }],
    ['404', { status: 404 }],
    ['an answer of no use', 'mismatched'],
    ['nothing, until there is no time left', 'hang'],
  ] as const)(
    'with %s is not repeated',
    onTheWay(async (way, _what, spoilt) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt, forwarded: true, times: 2 });
      const ends = await endOf(lookAs.interactive(way));
      expect([ends, sent(way)]).toEqual([spoilt === 'mismatched' ? 'done' : 'unknown', 1]);
    }),
  );

  it(
    'is not repeated for work, which comes back, and neither is a write',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: { status: 503 }, forwarded: false });
      way.proxy.spoil({ operation: 'createOwner', spoilt: { status: 503 }, forwarded: false });
      expect(await endOf(lookAs.background(way))).toBe('unknown');
      expect(await endOf(way.provider.createOwner({ handle: crypto.randomUUID() }))).toBe('unknown');
      expect([sent(way), way.proxy.count('createOwner')]).toEqual([1, 1]);
    }),
  );
});

/** One call is told to stay away. */
async function told(way: Way, status: number, retryAfter: number): Promise<void> {
  const spoilt = { status, retryAfter };
  way.proxy.spoil({ operation: 'findPayouts', spoilt, forwarded: false, about: 'first' });
  expect(await endOf(lookAs.background(way, 'first'))).toBe('unknown');
}

describe('Retry-After', () => {
  it.each([429, 503])(
    'of a %i keeps all of this process away until it is over',
    onTheWay(async (way, status) => {
      await told(way, status, 3);
      const begun = performance.now();
      const turnedAway = await lookAs.background(way).catch((error: unknown) => error);
      expect(turnedAway).toEqual(unsent);
      // It says when to come back.
      expect((turnedAway as OutcomeUnknown).retryAfterMs).toBeGreaterThan(1_000);
      expect((turnedAway as OutcomeUnknown).retryAfterMs).toBeLessThanOrEqual(3_000);
      // Longer than people can wait here: told at once.
      expect(await endOf(lookAs.interactive(way))).toBe('unsent');
      expect(sent(way)).toBe(1);
      expect(way.provider.state().aloneForMs).toBeGreaterThan(0);
      await pause(3_050 - (performance.now() - begun));
      expect(await lookAs.background(way)).toBeNull();
    }),
  );

  it.each(['interactive', 'background'] as const)(
    'that is short is waited for: by a call of %s priority',
    onTheWay(async (way, priority) => {
      await told(way, 503, 1);
      const begun = performance.now();
      expect(await lookAs[priority](way)).toBeNull();
      expect(performance.now() - begun).toBeGreaterThan(800);
    }),
  );

  it.each([500, 401])(
    'of a %i is about that call alone',
    onTheWay(async (way, status) => {
      await told(way, status, 60);
      expect(await lookAs.background(way)).toBeNull();
    }),
  );

  it(
    'of a year is a slip',
    onTheWay(async (way) => {
      await told(way, 503, 365 * 24 * 3_600);
      expect(way.provider.state().aloneForMs).toBeLessThanOrEqual(10 * 60_000);
    }),
  );
});
