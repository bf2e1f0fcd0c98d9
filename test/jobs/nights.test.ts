// Runs the nightly jobs by the clock. Each job runs once a night over all processes. A missed night runs later, and another process
// continues a run whose process stopped or died.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { newId } from '../../src/domain/ids.ts';
import type { JobName, NightlyJob } from '../../src/jobs/jobs.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { nextNight, planNextNight } from '../../src/jobs/schedule.ts';
import { releaseOrphanedLeases } from '../../src/outbox/leases.ts';
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { listFailingWork } from '../../src/tables/backlog.ts';
import { byTable } from '../support/by-table.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { runDueNight } from '../support/run-due-night.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { beginManyVerifications } from './verifications.ts';

/** Enough for three pages. */
const MANY = 120;
const PAGE = 50;
const MINUTE_MS = 60_000;

let people: string[];

// The test's own service serves HTTP only. A night is worked on only when a test requests it.
const { world, proxy, app } = useWorld({ proxy: true, env: { ROLE: 'api' } });

beforeAll(async () => {
  people = await beginManyVerifications(app(), MANY);
});
beforeEach(async () => {
  await byTable(app().db).deleteFrom('job_runs').execute();
});

/**
 * The database keeps times to the millisecond. A time that was rounded up might still be in the future, so runs are due a second
 * ago.
 */
const JUST_NOW_MS = -1_000;
const isDueNow = (run: string, job: JobName = 'reconcile') => insertRun(app().db, job, run, JUST_NOW_MS);
/** Works on due nights as one process does, by default under a new id. */
const workOn = (job: JobName, owner = newId()) => runDueNight(app(), job, owner);
const allOf = (run: string) =>
  byTable(app().db)
    .selectFrom('job_runs')
    .selectAll()
    .where('job', '=', 'reconcile')
    .where('run', '=', run)
    .executeTakeFirstOrThrow();
const finished = { finished_at: expect.any(Date) as Date, due_at: null, leased_by: null };
const whole = { counts: { 'verifications fetched': MANY } };

/** Makes the provider answer late about a user of the second page. */
const slowOnSecondPage = () =>
  proxy.spoil({
    operation: 'findOwners',
    spoilt: 'late',
    forwarded: true,
    about: handleFor(people[PAGE + 10] ?? '', 'owner'),
  });
const isReached = ({ hits }: { hits: () => number }) =>
  until(
    async () => hits(),
    (count) => count === 1,
  );

test.each<[NightlyJob, string, string]>([
  ['reconcile', '2026-11-21T02:09:59.999Z', '2026-11-21T02:10:00.000Z'],
  ['reconcile', '2026-11-21T02:10:00.000Z', '2026-11-22T02:10:00.000Z'],
  ['reconcile', '2026-03-29T00:59:00.000Z', '2026-03-29T02:10:00.000Z'],
  ['purge-payloads', '2026-11-21T00:00:00.000Z', '2026-11-21T03:10:00.000Z'],
  ['erase-due', '2026-11-21T00:00:00.000Z', '2026-11-21T03:40:00.000Z'],
  ['audit-verify', '2026-12-31T23:00:00.000Z', '2027-01-01T04:10:00.000Z'],
])('the next night of %s, seen from %s, begins at %s', (job, now, begins) => {
  expect(nextNight(job, new Date(now)).toISOString()).toBe(begins);
});

test('a night is planned once by any number of processes, and does not begin before its time', async () => {
  const now = await DatabaseTime.read(app().db);
  await Promise.all(Array.from({ length: 8 }, () => planNextNight(app().db, 'reconcile', now)));
  const begins = nextNight('reconcile', now.toDate());
  const [row, ...more] = await byTable(app().db).selectFrom('job_runs').selectAll().execute();
  expect(more).toEqual([]);
  expect(row).toMatchObject({ run: begins.toISOString().slice(0, 10), started_at: null, leased_by: null });
  expect(Math.abs((row?.due_at?.getTime() ?? 0) - begins.getTime())).toBeLessThan(MINUTE_MS);
  await workOn('reconcile');
  expect(await allOf(row?.run ?? '')).toEqual(row);
});

test('a due night runs once, in one of the processes', async () => {
  await isDueNow('2036-11-20');
  const before = proxy.count('findOwners');
  await Promise.all([workOn('reconcile'), workOn('reconcile'), workOn('reconcile')]);
  expect(await allOf('2036-11-20')).toMatchObject({ ...finished, ...whole });
  await workOn('reconcile');
  expect(proxy.count('findOwners') - before).toBe(MANY);
});

test('a night that was missed because no process ran runs later, and only the last of several missed nights runs', async () => {
  for (const run of ['2036-11-18', '2036-11-19']) await isDueNow(run);
  await sql`update job_runs set due_at = due_at - interval '2 days'`.execute(app().db);
  await workOn('reconcile');
  await workOn('reconcile');
  expect(await allOf('2036-11-19')).toMatchObject({ ...finished, ...whole });
  const missed = await allOf('2036-11-18');
  expect(missed).toMatchObject({ ...finished, finished_at: null });
  expect(missed.counts).toEqual({});
});

test('another process continues a run that a stop interrupted from its last page', async () => {
  const slow = slowOnSecondPage();
  const first = await startWorker();
  await isDueNow('2036-11-17');
  await isReached(slow);
  await first.stop();
  expect(await allOf('2036-11-17')).toMatchObject({
    finished_at: null,
    leased_by: null,
    counts: { 'verifications fetched': PAGE },
  });
  const second = await startWorker();
  const row = await until(
    () => allOf('2036-11-17'),
    ({ finished_at: finishedAt }) => finishedAt !== null,
  );
  await second.stop();
  expect(row).toMatchObject({ ...finished, ...whole });
});

test('a run that is leased to a living process is not taken over until that process is dead', async () => {
  await isDueNow('2036-11-16');
  await byTable(app().db).updateTable('job_runs').set({ leased_by: newId() }).execute();
  await workOn('reconcile');
  expect(await allOf('2036-11-16')).toMatchObject({ started_at: null, finished_at: null });
  await releaseOrphanedLeases(app().db);
  await workOn('reconcile');
  expect(await allOf('2036-11-16')).toMatchObject({ ...finished, ...whole });
});

test('a run counts no page of a process that was declared dead but continues', async () => {
  await isDueNow('2036-11-15');
  const slow = slowOnSecondPage();
  const paused = workOn('reconcile');
  await isReached(slow);
  await releaseOrphanedLeases(app().db);
  await workOn('reconcile');
  await paused;
  expect(await allOf('2036-11-15')).toMatchObject({ ...finished, ...whole });
});

test('a run whose page fails is tried again after a minute', async () => {
  const { db } = app();
  const row = () => byTable(db).selectFrom('job_runs').selectAll().executeTakeFirstOrThrow();
  await isDueNow('2036-11-15', 'audit-verify');
  await sql`alter table audit_events rename to not_there`.execute(db);
  await workOn('audit-verify');
  await sql`alter table not_there rename to audit_events`.execute(db);
  expect(capturedAt('the log')).toContain('"code":"nightly.page_failed"');
  expect(await row()).toMatchObject({ finished_at: null, leased_by: null });
  expect(await planned()).toEqual([{ run: '2036-11-15', inMinutes: 1 }]);
  await workOn('audit-verify');
  expect(await row()).toMatchObject({ finished_at: null });
  await makeDue();
  await workOn('audit-verify');
  expect(await row()).toMatchObject(finished);
});

test('a nightly page that keeps failing waits twice as long each time, and a page that succeeds ends that', async () => {
  const { db } = app();
  await isDueNow('2036-11-15', 'audit-verify');
  await sql`alter table audit_events rename to not_there`.execute(db);
  for (const inMinutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    await makeDue();
    await workOn('audit-verify');
    expect(await planned()).toEqual([{ run: '2036-11-15', inMinutes }]);
  }
  await sql`alter table not_there rename to audit_events`.execute(db);
  expect(await listFailingWork(db, { limit: 10 })).toMatchObject([
    { kind: 'nightly run', id: '2036-11-15', about: 'audit-verify', failures: 8 },
  ]);
  await makeDue();
  await workOn('audit-verify');
  expect(await listFailingWork(db, { limit: 10 })).toEqual([]);
});

test('a run that could not check everything is repeated after an hour, in at most three runs', async () => {
  const spoilt = proxy.spoil({
    operation: 'findOwners',
    spoilt: { status: 500 },
    forwarded: false,
    about: handleFor(people[0] ?? '', 'owner'),
    times: 10,
  });
  await isDueNow('2036-11-14');
  const repetitions: unknown[] = [];
  for (const run of ['2036-11-14', '2036-11-14.2', '2036-11-14.3']) {
    await makeDue();
    await workOn('reconcile');
    expect(await allOf(run)).toMatchObject({ ...finished, counts: { 'not checked': 1 } });
    repetitions.push(await planned());
  }
  spoilt.heal();
  expect(repetitions).toEqual([
    [{ run: '2036-11-14.2', inMinutes: 60 }],
    [{ run: '2036-11-14.3', inMinutes: 60 }],
    [],
  ]);
});

const [one, other] = [newId(), newId()];
test.for([
  ['in the same process', one],
  ['in another process', other],
])(
  'a run that is still in progress when the next night begins ends in favour of that night, %s',
  async ([_where, next]) => {
    await isDueNow('2036-11-12');
    const slow = slowOnSecondPage();
    const earlier = workOn('reconcile', one);
    await isReached(slow);
    await isDueNow('2036-11-13');
    if (next === one) await earlier;
    await workOn('reconcile', next);
    await earlier;
    expect(await allOf('2036-11-13')).toMatchObject({ ...finished, ...whole });
    expect(await allOf('2036-11-12')).toMatchObject({
      ...finished,
      finished_at: null,
      counts: { 'verifications fetched': PAGE },
    });
  },
);

/** A second process, which shares only the memory with this one. */
const startWorker = () => startWatchedService({ ...world.env, ROLE: 'worker' }, world.clock);

const makeDue = () =>
  sql`update job_runs set due_at = now() - interval '1 second' where due_at is not null`.execute(app().db);

/** The runs that are planned for later, with the minutes until then. */
const planned = async () =>
  (
    await sql<{ run: string; inMinutes: number }>`
      select run, round(extract(epoch from due_at - now()) / 60)::int as "inMinutes"
      from job_runs where due_at > now()
    `.execute(app().db)
  ).rows;
