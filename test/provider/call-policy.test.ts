// The execution of calls over real HTTP: how many are in flight, by when they are sent, and which are repeated. A rejected call was
// never sent.
import { expect, test } from 'vitest';
import { unattended } from '../../src/provider/caller.ts';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, type Way } from './support.ts';

const times = <Result>(count: number, act: () => Result): Result[] => Array.from({ length: count }, act);
const sent = ({ proxy }: Way) => proxy.count('findPayouts');

test(
  'many background calls are limited and do not delay an interactive call',
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
    expect(way.connection.state().calls.background).toEqual({ inFlight: 3, queued: 27 });
    expect(await lookAs.interactive(way)).toBeNull();
    expect(way.connection.state().calls.background).toEqual({ inFlight: 3, queued: 27 });
    answers.resolve();
    // The background calls have waited, and all of them are done.
    expect(await work).toHaveLength(30);
  }),
);

test(
  'a background call is sent within five seconds or never, and its outcome says which',
  onTheWay(async (way) => {
    way.proxy.spoil({ operation: 'findPayouts', spoilt: 'late', forwarded: true, times: 100 });
    const ends = await Promise.all(times(30, () => endOf(lookAs.background(way))));
    // Three calls run at a time for a second and a half each, so at most four rounds begin within five seconds.
    expect(ends.filter((end) => end === 'unsent').length).toBeGreaterThanOrEqual(18);
    expect(ends.filter((end) => end === 'done')).toHaveLength(sent(way));
  }),
);

test(
  'an interactive call ends with its own timeout, which is shorter than that of a background call',
  onTheWay(
    async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 9 });
      const ends: string[] = [];
      const background = endOf(lookAs.background(way)).then((end) => ends.push(`background ${end}`));
      await endOf(lookAs.interactive(way)).then((end) => ends.push(`interactive ${end}`));
      await background;
      expect(ends).toEqual(['interactive unknown', 'background unknown']);
    },
    { interactiveTimeoutMs: 500 },
  ),
);

test(
  'interactive calls that hang end with the timeout of a call, and those that waited are not sent',
  onTheWay(
    async (way) => {
      way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
      way.proxy.spoil({ operation: 'findInternalTransfers', spoilt: 'hang', forwarded: false });
      const ends: string[] = [];
      const background = way.connection.for(unattended).findTransfer('nobody');
      const all = times(10, () => endOf(lookAs.interactive(way)).then((end) => ends.push(end)));
      await Promise.all([...all, endOf(background).then(() => ends.push('longer timeout'))]);
      expect(ends.toSorted()).toEqual([
        'longer timeout',
        ...times(3, () => 'unknown'),
        ...times(7, () => 'unsent'),
      ]);
      expect(ends.at(-1)).toBe('longer timeout');
      expect(sent(way)).toBe(3);
    },
    { interactiveTimeoutMs: 3_000, timeoutMs: 4_000 },
  ),
);

test(
  'background calls that wait are rejected when the process ends',
  onTheWay(async (way) => {
    way.proxy.spoil({ operation: 'findPayouts', spoilt: 'hang', forwarded: false, times: 100 });
    const ends = times(20, () => endOf(lookAs.background(way)));
    await until(
      async () => sent(way),
      (count) => count === 3,
    );
    await way.connection.close();
    expect((await Promise.all(ends)).toSorted()).toEqual([
      ...times(3, () => 'unknown'),
      ...times(17, () => 'unsent'),
    ]);
  }),
);

test.each([
  ['503', { status: 503 }],
  ['429', { status: 429 }],
  ['502', { status: 502 }],
  ['a closed connection', 'drop'],
  ['503 and a Retry-After of a second', { status: 503, retryAfter: 1 }],
] as const)(
  'an interactive read that fails with %s is made once more',
  onTheWay(async (way, _what, spoilt) => {
    const fault = way.proxy.spoil({ operation: 'findPayouts', spoilt, forwarded: false });
    expect(await lookAs.interactive(way)).toBeNull();
    expect([fault.hits(), sent(way)]).toEqual([1, 2]);
  }),
);

test(
  'an interactive read that fails twice has failed',
  onTheWay(async (way) => {
    way.proxy.spoil({ operation: 'findPayouts', spoilt: { status: 503 }, forwarded: false, times: 3 });
    expect(await endOf(lookAs.interactive(way))).toBe('unknown');
    expect(sent(way)).toBe(2);
  }),
);

test.each([
  ['401', { status: 401 }],
  ['404', { status: 404 }],
  ['an answer that lacks a field', 'mismatched'],
  ['no answer until its timeout', 'hang'],
] as const)(
  'an interactive read that gets %s is not repeated',
  onTheWay(async (way, _what, spoilt) => {
    way.proxy.spoil({ operation: 'findPayouts', spoilt, forwarded: true, times: 2 });
    const ends = await endOf(lookAs.interactive(way));
    expect([ends, sent(way)]).toEqual([spoilt === 'mismatched' ? 'done' : 'unknown', 1]);
  }),
);

test(
  'a background read is not repeated, and neither is a write',
  onTheWay(async (way) => {
    way.proxy.spoil({ operation: 'findPayouts', spoilt: { status: 503 }, forwarded: false });
    way.proxy.spoil({ operation: 'createOwner', spoilt: { status: 503 }, forwarded: false });
    expect(await endOf(lookAs.background(way))).toBe('unknown');
    expect(await endOf(way.provider.createOwner({ handle: crypto.randomUUID() }))).toBe('unknown');
    expect([sent(way), way.proxy.count('createOwner')]).toEqual([1, 1]);
  }),
);
