// Slices of windows are work that all processes share: claimed concurrently, and repeated by another process if one dies.
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { runNightlyPage } from '../../src/jobs/run-page.ts';
import { releaseOrphanedLeases } from '../../src/outbox/leases.ts';
import type { Work } from '../../src/outbox/work.ts';
import { SLICE_JOB } from '../../src/tables/job-runs/work.ts';
import { byTable } from '../support/by-table.ts';
import { claimOnce } from '../support/claim-once.ts';
import { useWorld } from '../support/use-world.ts';

const MINUTE_MS = 60_000;
const JUST_NOW_MS = -1_000;

// The test's own service serves HTTP only. A night is worked on only when a test requests it.
const { world, app } = useWorld({ env: { ROLE: 'api' } });

beforeEach(async () => {
  const { db } = world.service.app;
  await byTable(db).deleteFrom('job_runs').execute();
  await byTable(db).deleteFrom('provider_cursors').execute();
});

const claimPages = async (owner: string, limit = 1): Promise<Work[]> =>
  (await claimOnce(app().db, 'page', { owner, limit, now: app().clock.now() })).works;

/** Works on pages as one process does, until none is due or `isEnough` says so of the next one. */
async function workOn(isEnough: (work: Work) => boolean = () => false): Promise<void> {
  const owner = newId();
  for (let [work] = await claimPages(owner); work; [work] = await claimPages(owner)) {
    if (isEnough(work)) break;
    await runNightlyPage(app(), work);
  }
  await releaseOrphanedLeases(app().db);
}

async function plan(run: string): Promise<void> {
  await insertRun(app().db, 'reconcile', run, JUST_NOW_MS);
  await workOn(({ type }) => type === SLICE_JOB);
  for (;;) {
    const [work] = await byTable(app().db)
      .selectFrom('job_runs')
      .select('run')
      .where('job', '=', 'reconcile')
      .where('due_at', '<=', new Date())
      .execute();
    if (!work) return;
    await workOn(({ type }) => type === SLICE_JOB);
  }
}

const slices = () =>
  byTable(app().db).selectFrom('job_runs').selectAll().where('job', '=', SLICE_JOB).execute();
const unfinished = async () => (await slices()).filter(({ finished_at }) => finished_at === null);

test('a window does not reach the last ten minutes', async () => {
  await plan('2036-12-05');
  const ends = (await slices()).map(({ run }) => Date.parse(run.split(' ')[2] ?? ''));
  expect(Math.max(...ends)).toBeLessThanOrEqual(app().clock.now().getTime() - 10 * MINUTE_MS);
});

test('a slice whose process dies in the middle of a page is repeated by another process', async () => {
  await plan('2036-12-07');
  const dead = await claimPages(newId(), 4);
  expect(dead.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => SLICE_JOB));
  const ofTheDead = (await unfinished()).filter(({ leased_by }) => leased_by !== null);
  expect(ofTheDead).toHaveLength(4);
  await releaseOrphanedLeases(app().db);
  await workOn();
  expect(await unfinished()).toEqual([]);
});

test('processes claim different slices concurrently, at most four each', async () => {
  await plan('2036-12-08');
  const [one, other] = [newId(), newId()];
  const first = [...(await claimPages(one, 10)), ...(await claimPages(one, 10))];
  const second = await claimPages(other, 10);
  expect([first.length, second.length]).toEqual([4, 4]);
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(8);
});

test('a night that is planned again does not end the slices of the last night', async () => {
  await plan('2036-12-09');
  const planned = (await slices()).length;
  await plan('2036-12-10');
  expect((await unfinished()).length).toBeGreaterThanOrEqual(planned);
});
