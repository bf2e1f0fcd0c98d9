// Rows that are needed only for a while are deleted: unused quotes, finished effects and idempotency keys.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertSlice } from '../../../src/jobs/reconciliation/slices.ts';
import { createQuoteDeletion } from '../../../src/jobs/retention/delete-unused-quotes.ts';
import { runJob } from '../../../src/jobs/run-by-hand.ts';
import { SLICE_JOB } from '../../../src/tables/job-runs/work.ts';
import { byTable } from '../../support/by-table.ts';
import { fill } from '../../support/fill.ts';
import { idMadeAgo } from '../../support/id-made-ago.ts';
import { must, pay, quote, reaches, refusalIn } from '../../support/person.ts';
import { useWorld } from '../../support/use-world.ts';

const { world, ada, db } = useWorld({ deposit: '500.00' });

const deleteUnusedQuotes = () => createQuoteDeletion(world.service.app)();
const idOf = ({ quoteId }: { quoteId: string }) => quoteId.slice('quote_'.length);
const isKept = async (id: string) =>
  (await byTable(db()).selectFrom('pix_quotes').select('id').where('id', '=', id).execute()).length === 1;
const expire = (id: string, minutesAgo: number) =>
  sql`update pix_quotes set expires_at = now() - make_interval(secs => ${minutesAgo * 60}) where id = ${id}`.execute(
    db(),
  );
const night = async () =>
  (await runJob(world.service.app, 'purge-payloads', { run: randomUUID() })).run.counts;
const subjects = async () =>
  (await byTable(db()).selectFrom('effects').select('subject_id').execute()).map(
    ({ subject_id }) => subject_id,
  );
const confirm = (quoteId: string) =>
  ada.api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } });

test('an unused quote is deleted ten minutes after it expires, and a used one stays', async () => {
  const [unused, fresh, used] = [await quote(ada, 10), await quote(ada, 11), await quote(ada, 12)];
  await reaches(ada, await pay(ada, used), 'completed');
  await expire(idOf(unused), 11);
  await expire(idOf(fresh), 9);
  await expire(idOf(used), 11);
  expect(await deleteUnusedQuotes()).toBe(1);
  expect(await Promise.all([unused, fresh, used].map((one) => isKept(idOf(one))))).toEqual([
    false,
    true,
    true,
  ]);
});

test('quotes are deleted page by page until none is left', async () => {
  await fill(
    world.databaseUrl,
    `insert into pix_quotes
    select copy.* from (select * from pix_quotes where user_id = '${ada.userId}' limit 1) as quote,
      generate_series(1, 12000) as number,
      jsonb_populate_record(null::pix_quotes, to_jsonb(quote) || jsonb_build_object(
        'id', md5(number::text)::uuid, 'expires_at', now() - interval '20 minutes')) as copy`,
  );
  expect(await deleteUnusedQuotes()).toBe(12_000);
  expect(await deleteUnusedQuotes()).toBe(0);
});

test('a quote is examined once by a process, and again by the night if it was missed', async () => {
  const deleteExpired = createQuoteDeletion(world.service.app);
  const [first, locked, later] = [await quote(ada, 10), await quote(ada, 11), await quote(ada, 12)];
  await expire(idOf(first), 30);
  await expire(idOf(locked), 40);
  await db()
    .transaction()
    .execute(async (tx) => {
      await sql`select from pix_quotes where id = ${idOf(locked)} for update`.execute(tx);
      expect(await deleteExpired()).toBe(1);
    });
  await expire(idOf(later), 10.5);
  expect(await deleteExpired()).toBe(1);
  expect(await isKept(idOf(locked))).toBe(true);
  expect(await night()).toMatchObject({ 'unused quotes removed': 1 });
  expect(await isKept(idOf(locked))).toBe(false);
});

test('a payment with a quote that was deleted gets quote_expired, and an unknown quote is not found', async () => {
  expect(refusalIn(await confirm(`quote_${idMadeAgo({ minutes: 12 })}`))).toEqual([409, 'quote_expired']);
  expect(refusalIn(await confirm(`quote_${idMadeAgo({ minutes: 5 })}`))).toEqual([404, 'not_found']);
  expect(refusalIn(await confirm(`quote_${randomUUID()}`))).toEqual([404, 'not_found']);
});

test('effects and idempotency keys are deleted after 90 days if their payment or withdrawal is final', async () => {
  const completed = await pay(ada, await quote(ada, 20));
  await reaches(ada, completed, 'completed');
  const failed = await pay(ada, await quote(ada, 21), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, failed, 'payout_failed');
  const keyed = { headers: { 'Idempotency-Key': 'retention' } };
  const path = { params: { path: { id: failed } } };
  must(await ada.api.POST('/pix/payments/{id}/retry', { ...path, ...keyed } as never));
  await reaches(ada, failed, 'completed');
  const again = await pay(ada, await quote(ada, 22), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, again, 'payout_failed');
  await sql`update effects set finished_at = finished_at - interval '89 days', created_at = created_at - interval '89 days'`.execute(
    db(),
  );
  await sql`update idempotency_keys set created_at = created_at - interval '89 days'`.execute(db());
  expect(await night()).not.toHaveProperty('effects removed');
  await sql`update effects set finished_at = finished_at - interval '2 days', created_at = created_at - interval '2 days'`.execute(
    db(),
  );
  await sql`update idempotency_keys set created_at = created_at - interval '2 days'`.execute(db());
  expect(await night()).toMatchObject({
    'effects removed': expect.any(Number),
    'idempotency keys removed': 1,
  });
  expect(await subjects()).not.toContain(completed);
  // A payment that can still be retried keeps its effects.
  expect(await subjects()).toContain(again);
  expect(await byTable(db()).selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
});

test('slices of nights are deleted 90 days after they finished', async () => {
  const now = new Date();
  for (const [run, days] of [
    ['old', 91],
    ['recent', 89],
    ['unfinished', null],
  ] as const) {
    await insertSlice(db(), { run: `accounts ${run}`, dueInMs: 60 * 60_000 });
    if (days === null) continue;
    const finishedAt = new Date(now.getTime() - days * 24 * 60 * 60_000);
    await byTable(db())
      .updateTable('job_runs')
      .set({ finished_at: finishedAt, due_at: null })
      .where('run', '=', `accounts ${run}`)
      .execute();
  }
  expect(await night()).toMatchObject({ 'slices removed': 1 });
  const left = await byTable(db())
    .selectFrom('job_runs')
    .select('run')
    .where('job', '=', SLICE_JOB)
    .execute();
  expect(left.map(({ run }) => run).toSorted()).toEqual(['accounts recent', 'accounts unfinished']);
});
