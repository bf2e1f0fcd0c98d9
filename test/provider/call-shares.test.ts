// Tests the shares in isolation: a total limit, a share for each priority, operation and user, the order of grants, and that no
// call waits longer than it may.
import { expect, test } from 'vitest';
import { createCallShares, type ProviderCall } from '../../src/provider/call-shares.ts';
import type { Priority } from '../../src/provider/caller.ts';

const LONG_MS = 60_000;

type Fields = Partial<ProviderCall>;
const interactive = (fields: Fields = {}): Fields => ({ priority: 'interactive', ...fields });
const background = (fields: Fields = {}): Fields => ({ priority: 'background', ...fields });
const times = (count: number, one: Fields): Fields[] => Array.from({ length: count }, () => one);

/** Every call has its own operation unless it names one. @returns the calls that have a slot so far, in the order of grants. */
function acquireAll(limit: number, calls: Fields[]) {
  const shares = createCallShares(limit);
  const granted: number[] = [];
  const rejected: string[] = [];
  const releases = new Map<number, () => void>();
  const acquired = calls.map(async (call, index) => {
    const all = { priority: 'background', userId: null, compartment: `operation ${index}`, ...call } as const;
    const slot = await shares.acquire(all, LONG_MS);
    if (typeof slot === 'string') return void rejected.push(`${index} ${slot}`);
    granted.push(index);
    releases.set(index, slot);
  });
  return { shares, granted, rejected, acquired, release: (index: number) => releases.get(index)?.() };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Releases each slot as soon as it is granted. @returns the order of the grants. */
async function runAll(limit: number, calls: Fields[]): Promise<number[]> {
  const { granted, release } = acquireAll(limit, calls);
  for (let done = 0; done < calls.length; done += 1) {
    await settle();
    release(granted[done] ?? -1);
  }
  return granted;
}

test.each([
  // The columns are: the limit, the calls, and how many of each priority are in flight.
  [8, times(20, background()), { interactive: 0, background: 6 }],
  [8, times(20, interactive()), { interactive: 6, background: 0 }],
  [8, [...times(20, background()), ...times(20, interactive())], { interactive: 2, background: 6 }],
  [8, [...times(20, interactive()), ...times(20, background())], { interactive: 6, background: 2 }],
  [4, [...times(9, background()), ...times(9, interactive())], { interactive: 1, background: 3 }],
  [1, [...times(2, background()), ...times(2, interactive())], { interactive: 0, background: 1 }],
])('each priority of %i slots reserves a share from the other', async (limit, calls, expected) => {
  const { shares } = acquireAll(limit, calls);
  await settle();
  const stats = shares.stats();
  expect({ interactive: stats.interactive.inFlight, background: stats.background.inFlight }).toEqual(
    expected,
  );
  const inFlight = expected.interactive + expected.background;
  expect(stats.interactive.queued + stats.background.queued).toBe(calls.length - inFlight);
  shares.close();
});

const ada = { userId: 'ada' };
const bea = { userId: 'bea' };

test('while calls of both priorities wait, slots that become free go to each until it has half of them', async () => {
  for (const [first, second] of [
    [interactive(), background()],
    [background(), interactive()],
  ] as const) {
    const { shares, granted, release } = acquireAll(8, [...times(20, first), ...times(20, second)]);
    await settle();
    for (const index of granted.slice(0, 4)) release(index);
    await settle();
    const stats = shares.stats();
    expect([stats.interactive.inFlight, stats.background.inFlight]).toEqual([4, 4]);
    shares.close();
  }
});

test('interactive calls beyond half of the slots begin if the background calls may not', async () => {
  const { shares, granted, release } = acquireAll(8, [
    ...times(20, interactive()),
    ...times(20, background(ada)),
  ]);
  await settle();
  // One user may use two slots.
  expect(granted).toEqual([0, 1, 2, 3, 4, 5, 20, 21]);
  release(0);
  await settle();
  expect(granted.at(-1)).toBe(6);
  shares.close();
});

const one = { compartment: 'createQuote' };
const other = { compartment: 'getAccount' };

test.each<[string, Fields[], Fields, number]>([
  ['an operation', times(20, one), other, 6],
  ['a user', times(20, ada), bea, 3],
  ['a user on one operation', times(20, { ...ada, ...one }), { ...bea, ...one }, 3],
])('%s has only its share, even while no other call waits', async (_what, calls, different, share) => {
  for (const priority of ['interactive', 'background'] satisfies Priority[]) {
    const { shares, granted } = acquireAll(16, [
      ...calls.map((call) => ({ ...call, priority })),
      { ...different, priority },
    ]);
    await settle();
    expect(granted).toEqual([...Array(share).keys(), 20]);
    shares.close();
  }
});

test('work without a user has no personal share', async () => {
  const { shares, granted } = acquireAll(16, times(20, background()));
  await settle();
  expect(granted).toHaveLength(12);
  shares.close();
});

test('interactive calls go first, and calls of one kind are granted in the order of arrival', async () => {
  const calls = [...times(3, background(one)), ...times(2, interactive(one))];
  expect(await runAll(1, calls)).toEqual([0, 3, 4, 1, 2]);
});

test.each(['interactive', 'background'] as const)(
  '%s calls are granted to users in turn',
  async (priority) => {
    const calls = [...times(5, ada), ...times(3, bea), { userId: 'cem' }, ...times(1, ada)];
    expect(
      await runAll(
        1,
        calls.map((call) => ({ ...call, ...one, priority })),
      ),
    ).toEqual([0, 1, 5, 8, 2, 6, 3, 7, 4, 9]);
  },
);

test('slots are granted to operations in turn', async () => {
  const calls = [...times(4, one), ...times(2, other)];
  expect(await runAll(1, calls)).toEqual([0, 1, 4, 2, 5, 3]);
});

test('a call that may not begin yet does not delay those behind it', async () => {
  const { shares, granted, release } = acquireAll(4, [
    ...times(2, { ...ada, ...one }),
    ...times(3, { ...bea, ...one }),
    { userId: 'cem', ...other },
  ]);
  await settle();
  // A user may use one slot, an operation two and a priority three.
  expect(granted).toEqual([0, 2, 5]);
  release(0);
  await settle();
  expect(granted).toEqual([0, 2, 5, 1]);
  shares.close();
});

test('a call that gets no slot in time does not take one later', async () => {
  const shares = createCallShares(1);
  const call = { userId: null, compartment: 'getAccount' };
  const release = await shares.acquire({ ...call, priority: 'background' }, LONG_MS);
  expect(await shares.acquire({ ...call, priority: 'interactive' }, 20)).toBe('timed_out');
  if (typeof release === 'function') release();
  expect(shares.stats().interactive).toEqual({ inFlight: 0, queued: 0 });
  expect(await shares.acquire({ ...call, priority: 'interactive' }, 20)).toBeTypeOf('function');
});

test('a slot can be released only once', async () => {
  const { shares, granted, release } = acquireAll(1, times(3, background()));
  await settle();
  release(0);
  release(0);
  await settle();
  expect(granted).toEqual([0, 1]);
  shares.close();
});

test('the queue of one user is bounded: their next call is rejected immediately, and another user’s call is not', async () => {
  const { shares, rejected } = acquireAll(1, [...times(1_002, ada), ...times(2, bea)]);
  await settle();
  expect(rejected).toEqual(['1001 queue_full']);
  expect(shares.stats().background).toEqual({ inFlight: 1, queued: 1_002 });
  shares.close();
});

test('closing rejects every call that waits', async () => {
  const { shares, granted, rejected, acquired } = acquireAll(1, [...times(2, background()), interactive()]);
  shares.close();
  await Promise.all(acquired);
  expect(granted).toEqual([0]);
  expect(rejected.toSorted()).toEqual(['1 closed', '2 closed']);
  expect(shares.stats().background.queued).toBe(0);
});
