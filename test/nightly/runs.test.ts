// How a reconciliation is run: once a night by any number of processes, in pages, continuing where it was interrupted,
// and past what cannot be fetched.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import { beginKyc } from '../../src/commands/begin-kyc.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { newId } from '../../src/domain/ids.ts';
import { type ReconcileProgress, reconcile } from '../../src/nightly/reconcile-by-hand.ts';
import { nightlyPage, nightlySchedule } from '../../src/nightly/schedule.ts';
import type { Service } from '../../src/start/start-service.ts';
import { type Job, workIn } from '../support/outbox.ts';
import { must, type Person, verified } from '../support/person.ts';
import { depositWithoutCallback } from '../support/unannounced.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const MANY = 250;

let world: World;
let proxy: UpstreamProxy;
let second: Service;
let ada: Person;
let people: string[];

const app = () => world.service.app;
const untilFinished = (run: string) =>
  expect.poll(async () => (await runNamed(run))?.finished_at ?? null, { timeout: 30_000 }).not.toBeNull();

beforeAll(async () => {
  world = await startWorld({
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
  second = await startWatchedService({ ...world.env, PORT: String(await freePort()) }, world.clock);
  ada = await verified(world, { deposit: '100.00' });
  people = await beginManyVerifications();
}, 120_000);
afterAll(async () => {
  await second.stop();
  await world.stop();
  await proxy.close();
});

describe('a run', () => {
  it('works through many in pages, and reports its progress', async () => {
    const reports: ReconcileProgress[] = [];
    const { counts } = await reconcile(app(), { onProgress: (progress) => reports.push(progress) });
    expect(counts['verifications fetched']).toBe(MANY);
    const onTheWay = reports
      .filter(({ stage }) => stage === 'verifications')
      .map(({ counts: sums }) => sums['verifications fetched'] ?? 0);
    expect(onTheWay).toEqual([0, 50, 100, 150, 200, 250]);
    expect(reports.at(-1)).toEqual({ stage: 'done', counts });
  });

  it('goes on where it was broken off', async () => {
    const ending = new AbortController();
    const run = 'broken off';
    const asked = proxy.count('findOwners');
    const first = await reconcile(app(), {
      run,
      signal: ending.signal,
      onProgress: ({ counts }) => counts['verifications fetched'] === 100 && ending.abort(),
    });
    expect(first).toMatchObject({ isFinished: false, counts: { 'verifications fetched': 100 } });
    const whole = await reconcile(app(), { run });
    expect(whole).toMatchObject({ isFinished: true, counts: { 'verifications fetched': MANY } });
    expect(proxy.count('findOwners') - asked).toBe(MANY);
  });

  it('that was broken off in the middle of a page does that page again', async () => {
    const ending = new AbortController();
    const run = 'in the middle';
    const hanging = proxy.spoil({ operation: 'findOwners', spoilt: 'late', forwarded: true, times: 5 });
    const breakingOff = reconcile(app(), { run, signal: ending.signal });
    await expect.poll(hanging.hits, { timeout: 10_000 }).toBe(5);
    ending.abort();
    expect(await breakingOff).toMatchObject({ isFinished: false, failures: [] });
    const { counts } = await reconcile(app(), { run });
    expect(counts['verifications fetched']).toBe(MANY);
  });

  it('by two processes concurrently counts each page once, and records each deposit once', async () => {
    for (const amount of ['1.01', '1.02', '1.03']) await depositWithoutCallback(ada, amount);
    const [one, other] = await Promise.all(
      [world.service, second].map((service) => reconcile(service.app, { run: 'together' })),
    );
    expect(one).toMatchObject({ isFinished: true, counts: { 'verifications fetched': MANY } });
    expect(other?.counts).toEqual(one?.counts);
    const deposits = must(await ada.api.GET('/transactions')).map(({ sourceAmount }) => sourceAmount);
    expect(deposits.toSorted((a, b) => a - b)).toEqual([101, 102, 103, 10_000]);
  });

  it('checks everything else when something cannot be fetched, and reports it', async () => {
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

  it('leaves a list that cannot be fetched for the next run, and does the stages after it', async () => {
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
});

describe('every night', () => {
  it('each job is due once, and known to the queue once', async () => {
    const minutes = Array.from(
      { length: 24 * 60 },
      (_, minute) => new Date(Date.UTC(2026, 10, 21, 0, minute)),
    );
    const due = minutes.filter((at) =>
      nightlySchedule.some(({ match }) =>
        match({
          min: at.getUTCMinutes(),
          hour: at.getUTCHours(),
          date: at.getUTCDate(),
          month: at.getUTCMonth() + 1,
          dow: at.getUTCDay(),
        }),
      ),
    );
    expect(due.map((at) => at.toISOString().slice(11, 16))).toEqual(['02:10', '03:10', '03:40', '04:10']);
    const { rows } =
      await sql`select identifier from graphile_worker._private_known_crontabs order by identifier`.execute(
        app().db,
      );
    expect(rows).toEqual(
      ['audit-verify', 'erase-due', 'purge-payloads', 'reconcile'].map((identifier) => ({ identifier })),
    );
  });

  it('its pages follow one another as jobs, and the day is its name', async () => {
    await queueNight({ _cron: { ts: '2026-11-20T02:10:00.000Z' } });
    await untilFinished('2026-11-20');
    expect((await runNamed('2026-11-20'))?.counts).toMatchObject({ 'verifications fetched': MANY });
    expect(await nightsInQueue()).toEqual([]);
    const asked = proxy.count('findOwners');
    await queueNight({ _cron: { ts: '2026-11-20T02:10:00.000Z' } });
    await expect.poll(() => workIn(world), { timeout: 10_000 }).toEqual([]);
    expect(proxy.count('findOwners')).toBe(asked);
  });

  it('two chains of one night end as one', async () => {
    await Promise.all([chain(world.service, '2026-11-19'), chain(second, '2026-11-19')]);
    await untilFinished('2026-11-19');
    expect((await runNamed('2026-11-19'))?.counts).toMatchObject({ 'verifications fetched': MANY });
  });

  it('what could not be fetched is tried again an hour later, three times at most', async () => {
    const spoilt = proxy.spoil({
      operation: 'findOwners',
      spoilt: { status: 500 },
      forwarded: false,
      about: handleFor(people[0] ?? '', 'owner'),
      times: 10,
    });
    const queued: unknown[] = [];
    for (const run of ['2026-11-18', '2026-11-18.2', '2026-11-18.3']) {
      await queueNight({ run });
      await untilFinished(run);
      queued.push(await nightsInQueue());
    }
    const inAnHour = [{ key: 'reconcile', inMinutes: 60 }];
    expect(queued).toEqual([inAnHour, inAnHour, []]);
    spoilt.heal();
  });
});

/** One job after the other, more than the run has pages. */
async function chain({ app: itsApp }: Service, run: string): Promise<void> {
  for (let turns = 0; turns < 40; turns += 1) await nightlyPage(itsApp, 'reconcile', run);
}

/** Users who have begun to verify, and whom the provider does not know yet. @returns their ids, in order. */
async function beginManyVerifications(): Promise<string[]> {
  const ids = Array.from({ length: MANY }, newId).toSorted();
  const row = { auth_provider: 'identity_provider_a', display_name: '', created_at: new Date() } as const;
  await app()
    .db.insertInto('users')
    .values(ids.map((id) => ({ ...row, id, auth_subject: id })))
    .execute();
  const cause = { kind: 'request', id: 'test' } as const;
  await Promise.all(ids.map((id) => beginKyc(app(), id, handleFor(id, 'owner'), cause)));
  return ids;
}

const runNamed = (run: string) =>
  app().db.selectFrom('job_runs').selectAll().where('run', '=', run).executeTakeFirst();

const queueNight = (payload: object) =>
  sql`select graphile_worker.add_job('reconcile', ${JSON.stringify(payload)}::json, job_key := 'reconcile')`.execute(
    app().db,
  );

async function nightsInQueue(): Promise<{ key: string | null; inMinutes: number }[]> {
  const jobs = (await workIn(world)).filter(isWaitingNight);
  const { rows } = await sql<{ id: string; minutes: number }>`
    select id::text, round(extract(epoch from run_at - now()) / 60)::int as minutes from graphile_worker._private_jobs
  `.execute(app().db);
  return jobs.map(({ id, key }) => ({
    key,
    inMinutes: rows.find((row) => row.id === id)?.minutes ?? Number.NaN,
  }));
}

/** A job that a worker has locked may have done its work already. */
const isWaitingNight = ({ task, locked_by }: Job): boolean => task === 'reconcile' && locked_by === null;
