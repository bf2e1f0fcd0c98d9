// The share counter: what fits, what a demand takes, which demand is next, and why a demand is rejected.
import { expect, test } from 'vitest';
import {
  createShares,
  type Demand,
  type Patience,
  type Rejection,
  type Release,
} from '../../src/platform/concurrency/shares.ts';

const LONG_MS = 300_000;

type WithOrWithoutLimits = Demand | Omit<Demand, 'limits'>;

/** Makes demands that share four units, unless one has its own limits. `granted` has the names in the order of the grants. */
function createDemands(units = 4) {
  const shares = createShares();
  const granted: string[] = [];
  const rejected: [string, Rejection][] = [];
  const releases = new Map<string, Release>();
  const want = async (
    name: string,
    wanted: WithOrWithoutLimits,
    patience: Patience = { withinMs: LONG_MS },
  ) => {
    const demand = 'limits' in wanted ? wanted : { ...wanted, limits: [['all', units]] as const };
    const got = await shares.acquire(demand, patience);
    if (typeof got === 'string') return void rejected.push([name, got]);
    granted.push(name);
    releases.set(name, got);
  };
  const release = async (...names: string[]) => {
    for (const name of names) releases.get(name)?.();
    await settled();
  };
  return { shares, granted, rejected, want, release };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const ada = { user: 'ada' };
const bea = { user: 'bea' };
const cem = { user: 'cem' };

test('a demand fits while each of its keys has room', () => {
  const shares = createShares();
  const demand: Demand = {
    ...ada,
    limits: [
      ['all', 3],
      ['ada', 2],
    ],
  };
  shares.take(demand);
  expect([shares.fits(demand), shares.free(demand.limits)]).toEqual([true, 1]);
  const release = shares.take(demand);
  expect([shares.fits(demand), shares.free(demand.limits)]).toEqual([false, 0]);
  expect(shares.fits({ ...bea, limits: [['all', 3]] })).toBe(true);
  release();
  release();
  expect([...shares.inUse()]).toEqual([
    ['all', 1],
    ['ada', 1],
  ]);
});

test('a key that is no longer in use is forgotten', () => {
  const shares = createShares();
  shares.take({ ...ada, limits: [['ada', 1]] })();
  expect(shares.inUse().size).toBe(0);
});

test('a heavy demand takes its weight under each key, and at most all of it', () => {
  const shares = createShares();
  const limits = [
    ['all', 10],
    ['ada', 4],
  ] as const;
  const release = shares.take({ ...ada, weight: 6, limits });
  expect([...shares.inUse()]).toEqual([
    ['all', 6],
    ['ada', 4],
  ]);
  expect(shares.fits({ ...bea, weight: 5, limits: [['all', 10]] })).toBe(false);
  expect(shares.fits({ ...bea, weight: 4, limits: [['all', 10]] })).toBe(true);
  release();
  expect(shares.fits({ ...ada, weight: 100, limits })).toBe(true);
});

test('users take turns, and a heavy demand counts as several turns', async () => {
  const { granted, want, release } = createDemands(2);
  void want('first', { ...cem, weight: 2 });
  for (const name of ['a1', 'a2']) void want(name, { ...ada, weight: 2 });
  for (const name of ['b1', 'b2', 'b3', 'b4']) void want(name, bea);
  await settled();
  await release('first');
  await release('a1');
  expect(granted).toEqual(['first', 'a1', 'b1', 'b2']);
  await release('b1', 'b2');
  expect(granted.slice(4)).toEqual(['a2']);
  await release('a2');
  expect(granted.slice(5)).toEqual(['b3', 'b4']);
});

test('light demands do not pass a heavy one that waits for the same key', async () => {
  const { granted, want, release } = createDemands();
  for (const name of ['b1', 'b2']) void want(name, bea);
  void want('heavy', { ...ada, weight: 4 });
  void want('b3', bea);
  await settled();
  await release('b1');
  expect(granted).toEqual(['b1', 'b2']);
  await release('b2');
  expect(granted).toEqual(['b1', 'b2', 'heavy']);
  await release('heavy');
  expect(granted).toEqual(['b1', 'b2', 'heavy', 'b3']);
});

test('a demand that waits for a key of its own user holds no other user back', async () => {
  const { granted, want } = createDemands();
  const limits = [
    ['ada', 1],
    ['all', 4],
  ] as const;
  void want('a1', { ...ada, limits });
  void want('a2', { ...ada, limits });
  void want('b1', bea);
  await settled();
  expect(granted).toEqual(['a1', 'b1']);
});

test('demands of the first rank go before the others', async () => {
  const { granted, want, release } = createDemands(1);
  void want('first', cem);
  void want('later', { ...ada, rank: 1 });
  void want('earlier', { ...bea, rank: 0 });
  await settled();
  await release('first');
  await release('earlier');
  expect(granted).toEqual(['first', 'earlier', 'later']);
});

test('compartments take turns', async () => {
  const { granted, want, release } = createDemands(1);
  void want('first', cem);
  for (const name of ['q1', 'q2']) void want(name, { ...ada, compartment: 'quotes' });
  void want('p1', { ...ada, compartment: 'payouts' });
  await settled();
  for (const name of ['first', 'q1', 'p1']) await release(name);
  expect(granted).toEqual(['first', 'q1', 'p1', 'q2']);
});

test('limits of a getter are evaluated when a unit becomes free', async () => {
  const { granted, want, release } = createDemands();
  let units = 2;
  const demand: Demand = {
    ...ada,
    get limits() {
      return [['ada', units] as const];
    },
  };
  for (const name of ['a1', 'a2', 'a3']) void want(name, demand);
  await settled();
  units = 1;
  await release('a1');
  expect(granted).toEqual(['a1', 'a2']);
  await release('a2');
  expect(granted).toEqual(['a1', 'a2', 'a3']);
});

test('a demand that times out gives up its turn and the units that it held back', async () => {
  const { shares, granted, rejected, want } = createDemands();
  void want('b1', bea);
  const heavy = want('heavy', { ...ada, weight: 4 }, { withinMs: 1 });
  void want('b2', bea);
  await heavy;
  await settled();
  expect([granted, rejected]).toEqual([['b1', 'b2'], [['heavy', 'timed_out']]]);
  expect([shares.waiting(0), shares.waitingOf('ada')]).toEqual([0, 0]);
});

test('a demand whose signal is aborted gives up its turn', async () => {
  const { shares } = createDemands();
  const limits: Demand['limits'] = [['all', 1]];
  const release = shares.take({ ...ada, limits });
  const gone = new AbortController();
  const waiting = shares.acquire({ ...bea, limits }, { withinMs: LONG_MS, signal: gone.signal });
  gone.abort();
  expect(await waiting).toBe('aborted');
  release();
  expect(await shares.acquire({ ...bea, limits }, { withinMs: LONG_MS, signal: gone.signal })).toBe(
    'aborted',
  );
  expect(shares.inUse().size).toBe(0);
});

test('a user with too many demands that wait is rejected, and others are not', async () => {
  const { rejected, want } = createDemands(1);
  const patience = { withinMs: LONG_MS, maxWaiting: 2 };
  void want('first', cem, patience);
  for (const name of ['a1', 'a2', 'a3']) void want(name, ada, patience);
  void want('b1', bea, patience);
  await settled();
  expect(rejected).toEqual([['a3', 'queue_full']]);
});

test('closing rejects every demand that waits', async () => {
  const { shares, rejected, want } = createDemands(1);
  void want('first', cem);
  void want('a1', ada);
  void want('b1', { ...bea, rank: 1 });
  await settled();
  shares.close();
  await settled();
  expect(rejected).toEqual([
    ['a1', 'closed'],
    ['b1', 'closed'],
  ]);
});

test('a heavy demand that waits for its own user’s units holds no other user back', async () => {
  const { granted, want, release } = createDemands();
  const limits = [
    ['ada', 3],
    ['all', 4],
  ] as const;
  void want('a1', { ...ada, limits });
  void want('heavy', { ...ada, weight: 4, limits });
  for (const name of ['b1', 'b2', 'b3']) void want(name, bea);
  await settled();
  expect(granted).toEqual(['a1', 'b1', 'b2', 'b3']);
  await release('a1', 'b1', 'b2', 'b3');
  expect(granted.at(-1)).toBe('heavy');
});
