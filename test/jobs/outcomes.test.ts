// Operators see nights that failed, did not end or left something unchecked, and data requests near their deadline.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { valueOf } from '../support/metrics.ts';
import { signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_MS = 86_400_000;

const now = () => world.clock.now();
const hoursAgo = (hours: number) => new Date(now().getTime() - hours * 3_600_000);

// This world serves HTTP only: no process plans or works on a night.
const { world, app } = useWorld({ env: { ROLE: 'api' } });
beforeEach(async () => {
  await byTable(app().db).deleteFrom('job_runs').execute();
});

test('a job without any run yet is not overdue, and its last success is 0', async () => {
  expect(await gauge('ponte_nightly_last_success_timestamp_seconds{nightly_job="reconcile"}')).toBe(0);
  expect(await gauge('ponte_nightly_unchecked{nightly_job="reconcile"}')).toBe(0);
  expect(await status()).not.toContain('whole run');
});

test('a run that left items unchecked does not count as a success, and its items are counted', async () => {
  const whole = hoursAgo(50);
  await ended('2026-11-19', whole, {});
  await ended('2026-11-20', hoursAgo(26.5), { 'not checked': 3, 'payouts scanned': 8 });
  expect(await gauge('ponte_nightly_unchecked{nightly_job="reconcile"}')).toBe(3);
  expect(await gauge('ponte_nightly_last_success_timestamp_seconds{nightly_job="reconcile"}')).toBe(
    whole.getTime() / 1_000,
  );
  expect(await status()).toMatch(/1 +nightly job without a whole run: reconcile/);
  expect(await status()).toMatch(/3 +items left unchecked by reconcile/);

  await ended('2026-11-20.2', hoursAgo(1), {});
  expect(await gauge('ponte_nightly_unchecked{nightly_job="reconcile"}')).toBe(0);
  expect(await status()).not.toMatch(/whole run|unchecked/);
});

test('a job whose only run began long ago and did not end is overdue', async () => {
  await insertRun(app().db, 'erase-due', '2026-11-19', 0);
  await byTable(app().db)
    .updateTable('job_runs')
    .set({ started_at: hoursAgo(27), updated_at: hoursAgo(27) })
    .execute();
  expect(await status()).toMatch(/1 +nightly job without a whole run: erase-due/);
});

test('a data request is announced seven days before its answer is due', async () => {
  const ada = await signUp(world);
  const request = {
    id: newId(),
    user_id: ada.userId,
    type: 'access',
    received_at: now(),
    due_at: new Date(now().getTime() + 8 * DAY_MS),
  } as const;
  await byTable(app().db).insertInto('data_requests').values(request).execute();
  expect(await gauge('ponte_data_requests_due_soon')).toBe(0);
  const sooner = { due_at: new Date(now().getTime() + 6 * DAY_MS) };
  await byTable(app().db).updateTable('data_requests').set(sooner).where('id', '=', request.id).execute();
  expect(await gauge('ponte_data_requests_due_soon')).toBe(1);
  expect(await status()).toMatch(/1 +data requests to be answered within 7 days, or late/);
});

async function ended(run: string, finished_at: Date, counts: Record<string, number>): Promise<void> {
  await insertRun(app().db, 'reconcile', run, null);
  await byTable(app().db)
    .updateTable('job_runs')
    .set({ finished_at, updated_at: finished_at, counts: sql`${JSON.stringify(counts)}::jsonb` })
    .where('run', '=', run)
    .execute();
}

const gauge = async (series: string) => valueOf(await countBacklog(app().db, now()), series);
const status = async (): Promise<string> => (await opsHere(app(), ['status'])).out;
