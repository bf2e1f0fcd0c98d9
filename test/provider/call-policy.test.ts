// How calls are executed, over real HTTP: how many are in flight, by when they are sent, which of them are repeated, and
// that a rejected call was never sent.
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, TIMEOUT_MS, type Way } from './support.ts';

const times = <Result>(count: number, act: () => Result): Result[] => Array.from({ length: count }, act);
const sent = ({ proxy }: Way) => proxy.count('findPayouts');

describe('a flood of background calls', () => {
  it(
    'does not keep an interactive call waiting, and is limited',
    onTheWay(async (way) => {
      const answers = Promise.withResolvers<void>();
      const hanging = way.proxy.spoil({
        operation: 'findPayouts',
        spoilt: { after: answers.promise },
        forwarded: true,
        times: 3,
      });
      const work = Promise.all(times(30, () => lookAs.background(way)));
      await until(
        async () => hanging.hits(),
        (hits) => hits === 3,
      );
      expect(way.provider.state().calls.background).toEqual({ inFlight: 3, queued: 27 });
      expect(await lookAs.interactive(way)).toBeNull();
      expect(way.provider.state().calls.background).toEqual({ inFlight: 3, queued: 27 });
      answers.resolve();
      // The background calls have waited, and all of them are done.
      expect(await work).toHaveLength(30);
    }),
  );

  it(
    'is sent within five seconds or never: what is decided goes by that',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'late', forwarded: true, times: 100 });
      const ends = await Promise.all(times(30, () => endOf(lookAs.background(way))));
      // Three at a time, a second and a half each: no more than four rounds begin within five seconds.
      expect(ends.filter((end) => end === 'unsent').length).toBeGreaterThanOrEqual(18);
      expect(ends.filter((end) => end === 'done')).toHaveLength(sent(way));
    }),
  );

  it(
    'of a person that hang end with the time of a call',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
      const begun = performance.now();
      const ends = await Promise.all(times(10, () => endOf(lookAs.interactive(way))));
      // For those that waited there was no time left for a call.
      expect(ends.filter((end) => end === 'unsent')).toHaveLength(7);
      expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS + 3_000);
      expect(sent(way)).toBe(3);
    }),
  );

  it(
    'is rejected when the process ends, and not left waiting',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
      const ends = times(20, () => endOf(lookAs.background(way)));
      await until(
        async () => sent(way),
        (count) => count === 3,
      );
      await way.provider.close();
      expect((await Promise.all(ends)).toSorted()).toEqual([
        ...times(3, () => 'unknown'),
        ...times(17, () => 'unsent'),
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
    'is not repeated in the background, where the work is, and neither is a write',
    onTheWay(async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: { status: 503 }, forwarded: false });
      way.proxy.spoil({ operation: 'createOwner', spoilt: { status: 503 }, forwarded: false });
      expect(await endOf(lookAs.background(way))).toBe('unknown');
      expect(await endOf(way.provider.createOwner({ handle: crypto.randomUUID() }))).toBe('unknown');
      expect([sent(way), way.proxy.count('createOwner')]).toEqual([1, 1]);
    }),
  );
});
