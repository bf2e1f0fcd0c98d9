// Slices of windows are work that all processes share: claimed concurrently, and repeated by another process if one dies.
import { expect } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { runNightlyPage } from '../../src/jobs/run-page.ts';
import { claims } from '../../src/outbox/claim.ts';
import { releaseOrphanedLeases } from '../../src/outbox/leases.ts';
import type { Work } from '../../src/outbox/work.ts';
import { SLICE_JOB } from '../../src/tables/work.ts';
import { byTable } from '../support/by-table.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const MINUTE_MS = 60_000;
const JUST_NOW_MS = -1_000;

// The test's own service serves HTTP only. A night is worked on only when a test requests it.
const test = useWorld({ env: { ROLE: 'api' } });

test.beforeEach(async ({ world }) => {
  const { db } = world.service.app;
  await byTable(db).deleteFrom('job_runs').execute();
  await byTable(db).deleteFrom('provider_cursors').execute();
});

const app = (world: World) => world.service.app;

async function claimPages(world: World, owner: string, most = 1): Promise<Work[]> {
  const { db, clock } = app(world);
  const claim = { owner, most, excludedTypes: [], excludedUsers: [], after: null, now: clock.now() };
  return (await claims.page(db, claim)).works;
}

/** Works on pages as one process does, until none is due or `isEnough` says so of the next one. */
async function workOn(world: World, isEnough: (work: Work) => boolean = () => false): Promise<void> {
  const owner = newId();
  for (let [work] = await claimPages(world, owner); work; [work] = await claimPages(world, owner)) {
    if (isEnough(work)) break;
    await runNightlyPage(app(world), work);
  }
  await releaseOrphanedLeases(app(world).db);
}

async function plan(world: World, run: string): Promise<void> {
  await insertRun(app(world).db, 'reconcile', run, JUST_NOW_MS);
  await workOn(world, ({ type }) => type === SLICE_JOB);
  for (;;) {
    const [work] = await byTable(app(world).db)
      .selectFrom('job_runs')
      .select('run')
      .where('job', '=', 'reconcile')
      .where('due_at', '<=', new Date())
      .execute();
    if (!work) return;
    await workOn(world, ({ type }) => type === SLICE_JOB);
  }
}

const slices = (world: World) =>
  byTable(app(world).db).selectFrom('job_runs').selectAll().where('job', '=', SLICE_JOB).execute();
const unfinished = async (world: World) =>
  (await slices(world)).filter(({ finished_at }) => finished_at === null);

test('a window does not reach the last ten minutes', async ({ world }) => {
  await plan(world, '2026-12-05');
  const ends = (await slices(world)).map(({ run }) => Date.parse(run.split(' ')[2] ?? ''));
  expect(Math.max(...ends)).toBeLessThanOrEqual(app(world).clock.now().getTime() - 10 * MINUTE_MS);
});

test('a slice whose process dies in the middle of a page is repeated by another process', async ({
  world,
}) => {
  await plan(world, '2026-12-07');
  const dead = await claimPages(world, newId(), 4);
  expect(dead.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => SLICE_JOB));
  const ofTheDead = (await unfinished(world)).filter(({ leased_by }) => leased_by !== null);
  expect(ofTheDead).toHaveLength(4);
  await releaseOrphanedLeases(app(world).db);
  await workOn(world);
  expect(await unfinished(world)).toEqual([]);
});

test('processes claim different slices concurrently, at most four each', async ({ world }) => {
  await plan(world, '2026-12-08');
  const [one, other] = [newId(), newId()];
  const first = [...(await claimPages(world, one, 10)), ...(await claimPages(world, one, 10))];
  const second = await claimPages(world, other, 10);
  expect([first.length, second.length]).toEqual([4, 4]);
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(8);
});

test('a night that is planned again does not end the slices of the last night', async ({ world }) => {
  await plan(world, '2026-12-09');
  const planned = (await slices(world)).length;
  await plan(world, '2026-12-10');
  expect((await unfinished(world)).length).toBeGreaterThanOrEqual(planned);
});
