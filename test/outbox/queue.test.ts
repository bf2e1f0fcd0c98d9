// The queue's fine print: stopping leaves nothing locked, what is superseded does nothing, and a job that the queue has
// given up on is taken up again.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import { newId } from '../../src/domain/ids.ts';
import { runEffect } from '../../src/effects/run.ts';
import { reviveDeadJobs } from '../../src/worker/revive.ts';
import { workIn } from '../support/outbox.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf } from '../support/upstream.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let proxy: UpstreamProxy;
let ada: Person;

beforeAll(async () => {
  world = await startWorld({
    env: { WORKER_CONCURRENCY: '8' },
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
  ada = await verified(world, { deposit: '1000.00' });
});
afterAll(async () => {
  await world.stop();
  await proxy.close();
});

const db = () => world.service.app.db;

describe('an effect', () => {
  it('whose row has moved on does nothing', async () => {
    const id = await pay(ada, await quote(ada, 10));
    await reaches(ada, id, 'completed');
    const again = { id: newId(), status: 'queued', attempts: 0 } as const;
    const startPayout = await db()
      .selectFrom('effects')
      .selectAll()
      .where('subject_id', '=', id)
      .where('type', '=', 'startPayout')
      .executeTakeFirstOrThrow();
    await db()
      .insertInto('effects')
      .values({ ...startPayout, ...again, params: {}, finished_at: null })
      .execute();
    const created = proxy.count('createPayout');
    await runEffect(world.service.app, again.id);
    const { status } = await effectOf(again.id);
    expect(status).toBe('superseded');
    expect(proxy.count('createPayout')).toBe(created);
    expect(await payoutsOf(world, id)).toHaveLength(1);
  });

  it('that this version does not know is kept and tried again', async () => {
    const id = await pay(ada, await quote(ada, 10));
    await reaches(ada, id, 'completed');
    const { seq } = await db()
      .selectFrom('pix_payments')
      .select('seq')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const effect = {
      id: newId(),
      user_id: ada.userId,
      subject_kind: 'pix_payment',
      subject_id: id,
      seq,
      // Of a version that has not been written yet.
      type: 'sendPostcard' as 'startPayout',
      params: {},
      created_at: new Date(),
    } as const;
    await sql`alter table effects drop constraint effects_type_check`.execute(db());
    await db().insertInto('effects').values(effect).execute();
    await runEffect(world.service.app, effect.id);
    expect(await effectOf(effect.id)).toMatchObject({ status: 'queued', attempts: 1, last_error: 'Error' });
    const keys = (await workIn(world)).map(({ key }) => key);
    expect(keys).toContain(`effect:${effect.id}`);
  });
});

describe('a job that the queue has given up on', () => {
  it('is taken up again, unless a newer one has taken its place', async () => {
    const key = `check:${newId()}`;
    await sql`select graphile_worker.add_job('checkResource', json_build_object('handle', ${newId()}::uuid),
      job_key := ${key}, run_at := now() + interval '1 hour')`.execute(db());
    await sql`select graphile_worker.add_job('checkResource', json_build_object('handle', ${newId()}::uuid),
      run_at := now() + interval '1 hour')`.execute(db());
    await sql`update graphile_worker._private_jobs
      set attempts = max_attempts, updated_at = now() - interval '11 minutes'`.execute(db());
    const pool = createPool(world.databaseUrl, 1);
    await reviveDeadJobs(pool);
    await pool.end();
    const checks = async () => (await workIn(world)).filter(({ task }) => task === 'checkResource');
    expect((await checks()).filter(({ attempts }) => attempts > 1)).toEqual([]);
    const left = await until(checks, (jobs) => jobs.length === 0);
    expect(left).toEqual([]);
  });
});

describe('stopping', () => {
  it('in the middle of fifty jobs, one of which gets no answer, leaves none locked', async () => {
    const about = await accountRefOf(world, ada.userId, 'GBP');
    const hanging = proxy.spoil({
      operation: 'createInternalTransfer',
      spoilt: 'hang',
      forwarded: true,
      about,
    });
    const id = await pay(ada, await quote(ada, 9.99));
    await until(
      async () => hanging.hits(),
      (hits) => hits === 1,
    );
    // The first answer says that there is nothing more to look for, and ends all looks that have not begun.
    proxy.spoil({ operation: 'getOwner', spoilt: 'late', forwarded: true, times: 50 });
    await db()
      .updateTable('provider_resources')
      .set({ next_poll_at: new Date(9e12) })
      .where('kind', '=', 'owner')
      .execute();
    await sql`select graphile_worker.add_job('checkResource', json_build_object('handle', handle))
      from provider_resources, generate_series(1, 50) where kind = 'owner'`.execute(db());
    await until(
      async () => proxy.count('getOwner'),
      (count) => count >= 5,
    );
    const begun = Date.now();
    await world.service.stop();
    expect(Date.now() - begun).toBeLessThan(9_000);

    const pool = createPool(world.databaseUrl, 1);
    const { rows: jobs } = await pool.query<{ key: string | null; locked_by: string | null }>(
      'select key, locked_by from graphile_worker._private_jobs',
    );
    const { rows: effects } = await pool.query<{ id: string; attempts: number; status: string }>(
      `select id, attempts, status from effects where subject_id = $1`,
      [id],
    );
    await pool.end();
    expect(jobs.filter(({ locked_by }) => locked_by !== null)).toEqual([]);
    expect(jobs.length).toBeGreaterThan(1);
    expect(effects).toMatchObject([{ status: 'queued', attempts: 1 }]);
    expect(jobs.map(({ key }) => key)).toContain(`effect:${effects[0]?.id}`);
  });
});

const effectOf = (id: string) =>
  db().selectFrom('effects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
