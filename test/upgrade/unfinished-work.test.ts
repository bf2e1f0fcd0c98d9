// A database has unfinished work of the version before the outbox, whose queue holds jobs for it. It is migrated after the last
// worker of that version has stopped. All work then reaches its final state, and nothing is sent twice.
import { execFile } from 'node:child_process';
import type { Pool } from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { type Person, pay, postJson, quote, reaches } from '../support/person.ts';
import { ROOT, surroundings } from '../support/process.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';
import type { World } from '../support/world.ts';
import { addJobs, callbackJob, effectJob, putBack } from './former-queue.ts';

const HOUR_MINUTES = 60;

let former: Pool;
/** The payments, named by the state of their work. */
const payments: Record<'due' | 'later' | 'sent' | 'withoutJob' | 'payout', string> = {
  due: '',
  later: '',
  sent: '',
  withoutJob: '',
  payout: '',
};
/** Completed payments whose payouts were returned. The callbacks that report this are not processed yet. */
let returned: string[];
let running: World['service'] | null = null;

const test = useWorld({ env: { PROVIDER_TIMEOUT_MS: '30000' }, deposit: '1000.00' });

test.beforeAll(async ({ world, proxy, ada }) => {
  const heal = await leaveWorkBehind(world, proxy, ada);
  await world.service.stop();
  heal();
  former = await putBack(world.databaseUrl, world.service.app.config.masterKeys);
  await former.query('delete from effect_pauses');
  // The worker that had sent the request died before it recorded anything.
  await former.query('update effects set attempts = 0, last_unknown_at = null where subject_id = $1', [
    payments.sent,
  ]);
  await queueJobs();
});
afterAll(async () => {
  await running?.stop();
  await former.end();
});

/** @returns a function that makes the provider answer again. */
async function leaveWorkBehind(world: World, proxy: UpstreamProxy, ada: Person): Promise<() => void> {
  returned = [await paid(ada, 10), await paid(ada, 11)];
  const unreadable = proxy.spoil({
    operation: 'getPayout',
    spoilt: { status: 503 },
    forwarded: false,
    times: 1_000,
  });
  for (const id of returned) {
    const [payout] = await payoutsOf(world, id);
    await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/refund`, {});
  }
  await until(
    () =>
      byTable(world.service.app.db)
        .selectFrom('webhook_events')
        .select('id')
        .where('attempts', '>', 0)
        .where('status', '=', 'received')
        .execute(),
    (events) => events.length === 2,
  );
  await pause(world, 'startPayout');
  payments.payout = await pay(ada, await quote(ada, 12));
  await reaches(ada, payments.payout, 'paying');
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const unanswered = { spoilt: 'hang', forwarded: true, silent: true, about } as const;
  const sent = proxy.spoil({ operation: 'createInternalTransfer', ...unanswered });
  payments.sent = await pay(ada, await quote(ada, 13));
  await until(
    async () => sent.hits(),
    (hits) => hits === 1,
  );
  await pause(world, 'startConversion');
  payments.due = await pay(ada, await quote(ada, 14));
  payments.later = await pay(ada, await quote(ada, 15));
  payments.withoutJob = await pay(ada, await quote(ada, 16));
  return unreadable.heal;
}

async function paid(ada: Person, amountBrl: number): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'completed');
  return id;
}

const pause = (world: World, type: string) =>
  opsHere(world.service.app, ['effects', 'pause', type, '--reason', 'a test']);

async function queueJobs(): Promise<void> {
  const idOf = async (subjectId: string): Promise<string> =>
    (
      await former.query<{ id: string }>(
        `select id from effects where subject_id = $1 and status = 'queued'`,
        [subjectId],
      )
    ).rows[0]?.id ?? '';
  const { rows: events } = await former.query<{ id: string }>(
    `select id from webhook_events where status = 'received' order by id`,
  );
  await former.query(
    `insert into job_runs (job, run, position, counts, started_at, updated_at)
     values ('reconcile', '2026-11-20', '{"stage": 7, "page": {"after": null}}', '{"kyc": 3}', now(), now())`,
  );
  await addJobs(former, [
    effectJob(await idOf(payments.due)),
    effectJob(await idOf(payments.later), { inMinutes: HOUR_MINUTES }),
    effectJob(await idOf(payments.sent), { isLocked: true }),
    effectJob(await idOf(payments.payout)),
    // The other callback has no job.
    callbackJob(events[0]?.id ?? ''),
    { task: 'reconcile', key: 'reconcile', payload: { run: '2026-11-20' }, isLocked: true },
    // The first page of these nights has not begun.
    { task: 'audit-verify', key: 'audit-verify', payload: { _cron: { ts: '2026-11-20T04:10:00.000Z' } } },
    {
      task: 'purge-payloads',
      key: 'purge-payloads',
      payload: { run: '2026-11-20.2' },
      inMinutes: HOUR_MINUTES,
    },
  ]);
}

/** Runs `npm run db:migrate`. */
const migrate = (world: World): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = { ...surroundings(), DATABASE_URL: world.databaseUrl };
    execFile(
      process.execPath,
      ['src/platform/database/migrate.ts'],
      { cwd: ROOT, env },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      },
    );
  });

test('the migration refuses in one sentence while a worker of the former version runs, and changes nothing', async ({
  world,
}) => {
  const worker = createPool(world.databaseUrl, 1);
  // A pool closes an idle connection after ten seconds, which releases the lock. A connection in use stays open.
  const connection = await worker.connect();
  await connection.query(`select pg_try_advisory_lock(hashtextextended('worker', 0))`);
  expect(await migrate(world)).toEqual({
    code: 1,
    out: '',
    err:
      'The schema could not be brought up to date: ' +
      'a worker of the former version is running: stop all processes before this migration\n',
  });
  await former.query('select next_attempt_at from effects');
  expect((await former.query('select from graphile_worker._private_jobs')).rowCount).toBe(8);
  connection.release();
  await worker.end();
});

test('the migration carries over when work is due and what a dead worker may have sent', async ({
  world,
}) => {
  const migrated = await migrate(world);
  expect(migrated).toMatchObject({ code: 0, err: '' });
  expect(migrated.out).toContain('Migration20261122220000');
  expect(await effectOf(payments.due)).toEqual({ inMinutes: 0, attempts: 0, mayHaveActed: false });
  expect(await effectOf(payments.later)).toEqual({
    inMinutes: HOUR_MINUTES,
    attempts: 0,
    mayHaveActed: false,
  });
  expect(await effectOf(payments.sent)).toEqual({ inMinutes: 0, attempts: 1, mayHaveActed: true });
  expect(await effectOf(payments.withoutJob)).toEqual({ inMinutes: 0, attempts: 0, mayHaveActed: false });
  expect(await effectOf(payments.payout)).toEqual({ inMinutes: 0, attempts: 0, mayHaveActed: false });
  const { rows: callbacks } = await former.query(
    `select status, due_at <= now() as "isDue" from webhook_events where due_at is not null`,
  );
  expect(callbacks).toEqual(Array.from({ length: 2 }, () => ({ status: 'received', isDue: true })));
  const { rows: nights } = await former.query(
    `select job, run, ${IN_MINUTES} as "inMinutes" from job_runs where due_at is not null order by job`,
  );
  expect(nights).toEqual([
    { job: 'audit-verify', run: '2026-11-20', inMinutes: 0 },
    { job: 'purge-payloads', run: '2026-11-20.2', inMinutes: HOUR_MINUTES },
    { job: 'reconcile', run: '2026-11-20', inMinutes: 0 },
  ]);
  const { rows: queues } = await former.query(`select to_regnamespace('graphile_worker') as left`);
  expect(queues).toEqual([{ left: null }]);
});

describe('the new version', () => {
  test.beforeAll(async ({ world }) => {
    await former.query('update effects set due_at = now() where due_at > now()');
    running = await startWatchedService(world.env, world.clock);
    world.service = running;
  });

  test.for(Object.keys(payments) as (keyof typeof payments)[])(
    'the payment whose work was %s is completed, and nothing is sent twice',
    async (which, { world, proxy, ada }) => {
      const id = payments[which];
      await reaches(ada, id, 'completed');
      expect(await transfersOf(world, id)).toHaveLength(1);
      expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 1 }]);
      expect(proxy.count('createInternalTransfer', handleFor(id, 'conversion-direct'))).toBe(1);
      expect(proxy.count('createPayout', handleFor(id, 'payout'))).toBe(1);
    },
  );

  test('the new version processes the callbacks that waited, with and without a job', async ({ ada }) => {
    for (const id of returned)
      expect(await reaches(ada, id, 'manual_review')).toMatchObject({ status: 'manual_review' });
  });

  test('the new version ends the nights that were in progress or about to begin', async () => {
    const nights = await until(
      async () =>
        (
          await former.query<{ job: string; finished_at: Date | null }>(
            `select job, finished_at from job_runs where run = '2026-11-20' order by job`,
          )
        ).rows,
      (rows) => rows.every(({ finished_at: finishedAt }) => finishedAt !== null),
    );
    expect(nights.map(({ job }) => job)).toEqual(['audit-verify', 'reconcile']);
  });

  test('the new version leaves no work behind', async () => {
    await until(
      async () => (await former.query('select from effects where due_at is not null')).rowCount,
      (many) => many === 0,
    );
    expect((await former.query(`select from webhook_events where status = 'received'`)).rowCount).toBe(0);
  });
});

/** Rounded to ten minutes, so that a slow machine measures the same. */
const IN_MINUTES = 'greatest(0, round(extract(epoch from due_at - now()) / 600) * 10)::int';

async function effectOf(subjectId: string): Promise<unknown> {
  const { rows } = await former.query<{ inMinutes: number; attempts: number; mayHaveActed: boolean }>(
    `select ${IN_MINUTES} as "inMinutes", attempts, last_unknown_at is not null as "mayHaveActed"
     from effects where subject_id = $1 and status = 'queued'`,
    [subjectId],
  );
  return rows[0];
}
