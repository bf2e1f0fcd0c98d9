// Any number of processes run a reconciliation: in pages, from the point of an interruption, and without stopping at resources that
// cannot be fetched.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { type ReconcileProgress, reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { must } from '../support/person.ts';
import { depositWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService, type WatchedService } from '../support/watched-service.ts';
import { beginManyVerifications } from './verifications.ts';

const MANY = 250;

let second: WatchedService;
let people: string[];

// No call in this file may time out, because a call that is slow on a busy machine would count as not checked.
const { world, proxy, ada, app } = useWorld({
  proxy: true,
  env: { PROVIDER_TIMEOUT_MS: '60000' },
  deposit: '100.00',
});

beforeAll(async () => {
  second = await startWatchedService({ ...world.env, PORT: String(await freePort()) }, world.clock);
  people = await beginManyVerifications(app(), MANY);
});
afterAll(async () => {
  await second.stop();
});

test('a run works in pages and reports its progress', async () => {
  const reports: ReconcileProgress[] = [];
  const { counts } = await reconcile(app(), { onProgress: (progress) => reports.push(progress) });
  expect(counts['verifications fetched']).toBe(MANY);
  const onTheWay = reports
    .filter(({ stage }) => stage === 'verifications')
    .map(({ counts: sums }) => sums['verifications fetched'] ?? 0);
  expect(onTheWay).toEqual([0, 50, 100, 150, 200, 250]);
  expect(reports.at(-1)).toEqual({ stage: 'done', counts });
});

test('a run continues from the point of its interruption', async () => {
  const ending = new AbortController();
  const run = 'broken off';
  const before = proxy.count('findOwners');
  const first = await reconcile(app(), {
    run,
    signal: ending.signal,
    onProgress: ({ counts }) => counts['verifications fetched'] === 100 && ending.abort(),
  });
  expect(first).toMatchObject({ isFinished: false, counts: { 'verifications fetched': 100 } });
  const whole = await reconcile(app(), { run });
  expect(whole).toMatchObject({ isFinished: true, counts: { 'verifications fetched': MANY } });
  expect(proxy.count('findOwners') - before).toBe(MANY);
});

test('a run that was interrupted in the middle of a page repeats that page', async () => {
  const ending = new AbortController();
  const run = 'in the middle';
  const hanging = proxy.spoil({ operation: 'findOwners', spoilt: 'late', forwarded: true, times: 5 });
  const breakingOff = reconcile(app(), { run, signal: ending.signal });
  await until(
    async () => hanging.hits(),
    (hits) => hits === 5,
  );
  ending.abort();
  expect(await breakingOff).toMatchObject({ isFinished: false, failures: [] });
  const { counts } = await reconcile(app(), { run });
  expect(counts['verifications fetched']).toBe(MANY);
});

test('a run by two concurrent processes counts each page once and records each deposit once', async () => {
  for (const amount of ['1.01', '1.02', '1.03']) await depositWithoutCallback(ada, amount);
  const [one, other] = await Promise.all(
    [world.service, second].map((service) => reconcile(service.app, { run: 'together' })),
  );
  expect(one).toMatchObject({ isFinished: true, counts: { 'verifications fetched': MANY } });
  expect(other?.counts).toEqual(one?.counts);
  const deposits = must(await ada.api.GET('/transactions')).map(({ sourceAmount }) => sourceAmount);
  expect(deposits.toSorted((a, b) => a - b)).toEqual([101, 102, 103, 10_000]);
});

test('a run checks everything else when something cannot be fetched, and reports the failures', async () => {
  const [first = '', , third = ''] = people;
  const spoilt = [first, third].map((userId) =>
    proxy.spoil({
      operation: 'findOwners',
      spoilt: { status: 500 },
      forwarded: false,
      about: handleFor(userId, 'owner'),
      times: 10,
    }),
  );
  const report = await reconcile(app());
  for (const { heal } of spoilt) heal();
  expect(report).toMatchObject({ isFinished: true, counts: { 'not checked': 2 } });
  const error = 'findOwners: answered 500 unavailable';
  expect(report.failures.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
    [first, third].map((id) => ({ stage: 'verifications', id, error })),
  );
  expect(report.counts['home accounts scanned']).toBe(1);
});

test('a run leaves a list that cannot be fetched for the next run and continues with the following stages', async () => {
  const spoilt = proxy.spoil({
    operation: 'findPayouts',
    spoilt: { status: 404 },
    forwarded: false,
    times: 10,
  });
  const { failures, counts } = await reconcile(app());
  spoilt.heal();
  expect(failures).toMatchObject([{ stage: 'payouts', error: 'findPayouts: answered 404 unavailable' }]);
  expect(counts['home accounts scanned']).toBe(1);
});
