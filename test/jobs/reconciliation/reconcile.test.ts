// Reconciliation finds what no callback reported. It fetches every unfinished resource, scans the provider's lists, and corrects
// differences with the same machine events as a callback.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { handleFor } from '../../../src/domain/handles.ts';
import { newId } from '../../../src/domain/ids.ts';
import { createCounters } from '../../../src/jobs/counters.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { scanListSlice } from '../../../src/jobs/reconciliation/list-slices.ts';
import { OVERTAKEN } from '../../../src/jobs/reconciliation/resolve-discrepancies.ts';
import { scanDeposits } from '../../../src/jobs/reconciliation/scan-deposits.ts';
import type { StageContext } from '../../../src/jobs/stage.ts';
import type { PayoutSnapshot } from '../../../src/provider/port.ts';
import { applyReported } from '../../../src/reports/apply-reported.ts';
import { scanMovements } from '../../../src/reports/scan-movements.ts';
import { movePlannedTo } from '../../../src/tables/provider-cursors/statements.ts';
import { requeueWebhookEvent } from '../../../src/tables/webhook-events/statements.ts';
import { byTable } from '../../support/by-table.ts';
import { balanceOf, must, pay, quote, reaches } from '../../support/person.ts';
import {
  changeWaitingEffect,
  depositWithoutCallback,
  refundWithoutCallback,
  withdrawTo,
} from '../../support/unannounced.ts';
import { until } from '../../support/until.ts';
import { movementsOf, payoutsOf } from '../../support/upstream.ts';
import { useWorld } from '../../support/use-world.ts';

const MONTH_MS = 31 * 24 * 60 * 60_000;

// No call in this file may time out, because a call that is slow on a busy machine would count as not checked.
const { world, proxy, ada, app } = useWorld({
  proxy: true,
  env: { PROVIDER_TIMEOUT_MS: '60000' },
  deposit: '5000.00',
});

test('a reconciliation corrects nothing when nothing differs', async () => {
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  await reconcile(app());
  expect(await reconcile(app())).toMatchObject({
    counts: { 'home accounts scanned': 1, 'transfers scanned': 1, 'payouts scanned': 1 },
    isFinished: true,
    failures: [],
    orphans: [],
    openDiscrepancies: 0,
    waiting: { manualReview: 0, payoutFailed: 0, exhaustedEffects: 0 },
  });
});

test('a reconciliation records a deposit that no callback reported once, and continues the scan from there', async () => {
  const before = (await balanceOf(ada)) ?? 0;
  await depositWithoutCallback(ada, '12.34');
  expect((await reconcile(app())).counts).toMatchObject({
    'deposits recorded': 1,
    'movements scanned': 1,
  });
  expect((await reconcile(app())).counts['movements scanned']).toBeUndefined();
  expect(await depositsOf(1_234)).toBe(1);
  expect(await balanceOf(ada)).toBe(before + 1_234);
});

test('a reconciliation scans from the beginning if the provider does not know the cursor', async () => {
  await depositWithoutCallback(ada, '12.35');
  await byTable(app().db).updateTable('provider_accounts').set({ movements_cursor: randomUUID() }).execute();
  const { counts, failures } = await reconcile(app());
  expect(failures).toEqual([]);
  expect(counts['deposits recorded']).toBe(1);
  expect((await reconcile(app())).counts['movements scanned']).toBeUndefined();
  expect([await depositsOf(1_234), await depositsOf(1_235)]).toEqual([1, 1]);
});

test('a reconciliation does not scan past a deposit that cannot be recorded', async () => {
  await depositWithoutCallback(ada, '12.36');
  await sql`alter table transactions add constraint broken check (source_amount_minor <> 1236)`.execute(
    app().db,
  );
  const { counts, failures } = await reconcile(app());
  expect(failures).toMatchObject([{ stage: 'deposits' }]);
  expect(counts['not checked']).toBe(1);
  await sql`alter table transactions drop constraint broken`.execute(app().db);
  expect((await reconcile(app())).counts['deposits recorded']).toBe(1);
});

test('a scan of movements does not overwrite the position that another process has stored meanwhile', async () => {
  await depositWithoutCallback(ada, '12.37');
  const { db, provider } = app();
  const home = byTable(db)
    .selectFrom('provider_accounts')
    .selectAll()
    .where('user_id', '=', ada.userId)
    .where('currency', '=', 'GBP');
  const { id, user_id: userId, provider_account_id: ref } = await home.executeTakeFirstOrThrow();
  const stored = randomUUID();
  const listMovements: typeof provider.listMovements = async (...request) => {
    const page = await provider.listMovements(...request);
    await byTable(db)
      .updateTable('provider_accounts')
      .set({ movements_cursor: stored })
      .where('id', '=', id)
      .execute();
    return page;
  };
  const account = { id, userId, providerAccountId: ref ?? '', movementsCursor: null };
  const cause = { kind: 'job', id: 'a test' } as const;
  await scanMovements({ ...app(), provider: { ...provider, listMovements } }, account, { cause });
  expect((await home.executeTakeFirstOrThrow()).movements_cursor).toBe(stored);
});

test('a scan of movements does not pass a movement without a uuid on an earlier page', async () => {
  const { db, provider } = app();
  await depositWithoutCallback(ada, '12.38');
  const home = byTable(db)
    .selectFrom('provider_accounts')
    .selectAll()
    .where('user_id', '=', ada.userId)
    .where('currency', '=', 'GBP');
  const { id, user_id: userId, provider_account_id: ref } = await home.executeTakeFirstOrThrow();
  await byTable(db)
    .updateTable('provider_accounts')
    .set({ movements_cursor: null })
    .where('id', '=', id)
    .execute();
  const first = randomUUID();
  const unreadable = [{ providerRef: null, position: null, index: 0, why: 'no uuid' }];
  const listMovements: typeof provider.listMovements = async (account, request) =>
    request.after === null
      ? { items: [], unreadable, refs: [first], next: first }
      : provider.listMovements(account, { ...request, after: null });
  const account = { id, userId, providerAccountId: ref ?? '', movementsCursor: null };
  const cause = { kind: 'job', id: 'a test' } as const;
  await scanMovements({ ...app(), provider: { ...provider, listMovements } }, account, { cause });
  expect((await home.executeTakeFirstOrThrow()).movements_cursor).toBeNull();
  await byTable(db).deleteFrom('list_findings').execute();
});

test('a night scans every account if the last window of movements ends later than now', async () => {
  const context = await contextOf('2026-11-28');
  await movePlannedTo(app().db, {
    list: 'movements',
    plannedTo: context.now.plus(MONTH_MS).toDate(),
    now: context.now,
  });
  await scanDeposits(context, { after: null });
  expect(context.counters.counts).toMatchObject({ 'home accounts scanned': 1 });
  await byTable(app().db).deleteFrom('provider_cursors').execute();
});

test('a payout of a slice that cannot be applied becomes a slice of its own, which is repeated until it can', async () => {
  const { db, provider } = app();
  const id = await pay(ada, await quote(ada, 39));
  await reaches(ada, id, 'completed');
  const [{ uuid } = { uuid: '' }] = await payoutsOf(world, id);
  await refundWithoutCallback(world, uuid);
  const broken = await provider.getPayout(uuid);
  const stranger = {
    ...broken,
    providerRef: randomUUID(),
    handle: 'of another company',
    sourceAccountRef: randomUUID(),
  };
  const items = [broken, stranger].map((snapshot) => ({ snapshot }));
  const refs = items.map(({ snapshot }) => snapshot.providerRef);
  const listPayouts: typeof provider.listPayouts = async () => ({ items, unreadable: [], refs, next: null });
  const from = broken.updatedAt;
  const sliceTo = async (ms: number) => {
    const run = `payouts ${from.toISOString()} ${new Date(from.getTime() + ms).toISOString()}`;
    const context = await contextOf(run);
    return scanListSlice({ ...context, provider: { ...provider, listPayouts } }, { after: null });
  };
  await sql`alter table pix_payments add constraint broken check (state <> 'manual_review') not valid`.execute(
    db,
  );
  try {
    const { commit } = await sliceTo(60_000);
    await db.transaction().execute(async (tx) => commit?.(tx));
    const own = `payouts ${from.toISOString()} ${new Date(from.getTime() + 1).toISOString()}`;
    expect(
      await byTable(db).selectFrom('job_runs').select('run').where('run', '=', own).execute(),
    ).toHaveLength(1);
    await expect(sliceTo(1)).rejects.toThrow('has objects that could not be applied');
    await byTable(db).deleteFrom('job_runs').where('run', '=', own).execute();
  } finally {
    await sql`alter table pix_payments drop constraint broken`.execute(db);
  }
  await reconcile(app());
  await reaches(ada, id, 'manual_review');
});

test('a reconciliation finds a payment whose payout was returned after it had completed', async () => {
  const id = await pay(ada, await quote(ada, 30));
  await reaches(ada, id, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  const { counts } = await reconcile(app());
  expect(counts['payouts corrected']).toBe(1);
  const payment = await reaches(ada, id, 'manual_review');
  expect(payment.failureReason).toMatch(/returned/);
});

test('a reconciliation finds a withdrawal that was returned after it had completed', async () => {
  const id = await withdrawTo(ada, 2_000, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id, 'withdraw'))[0]?.uuid);
  expect((await reconcile(app())).counts['payouts corrected']).toBe(1);
  const transaction = must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } }));
  expect(transaction).toMatchObject({ status: 'failed', completedAt: expect.any(String) as string });
});

test('a reconciliation starts its scan of the lists after entries older than a month, and finds nothing new there', async () => {
  const cursors = () => byTable(app().db).selectFrom('provider_cursors').select(['list', 'after']).execute();
  expect(await cursors()).toEqual([]);
  await world.clock.later(MONTH_MS, () => reconcile(app()));
  expect(await cursors()).toHaveLength(2);
  const id = await pay(ada, await quote(ada, 31));
  await reaches(ada, id, 'completed');
  expect((await reconcile(app())).counts).toMatchObject({
    'payouts scanned': 1,
    'transfers scanned': 1,
  });
});

test('a list scan does not pass what could not be applied', async () => {
  const { db } = app();
  const id = await pay(ada, await quote(ada, 38));
  await reaches(ada, id, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  await sql`alter table pix_payments add constraint broken check (state <> 'manual_review') not valid`.execute(
    db,
  );
  const { failures } = await world.clock.later(MONTH_MS, () => reconcile(app()));
  expect(failures).toMatchObject([{ stage: 'payouts' }]);
  await sql`alter table pix_payments drop constraint broken`.execute(db);
  expect((await reconcile(app())).counts['payouts corrected']).toBe(1);
  await reaches(ada, id, 'manual_review');
});

test('a reconciliation queues an exhausted effect again', async () => {
  const { id, spoilt } = await stuckPayout(32);
  await changeWaitingEffect(world, id, { status: 'exhausted', attempts: 150, due_at: null });
  spoilt.heal();
  expect((await reconcile(app())).counts).toMatchObject({ 'effects taken up again': 1 });
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('a reconciliation brings forward an effect whose next attempt is far in the future', async () => {
  const { id, spoilt } = await stuckPayout(36);
  await changeWaitingEffect(world, id, { attempts: 20, due_at: new Date(Date.now() + 600_000) });
  spoilt.heal();
  expect((await reconcile(app())).counts).toMatchObject({ 'effects brought forward': 1 });
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('a reconciliation brings forward a callback whose retry is far in the future', async () => {
  const event = await byTable(app().db)
    .selectFrom('webhook_events')
    .select('id')
    .where('status', '=', 'applied')
    .executeTakeFirstOrThrow();
  await app()
    .db.transaction()
    .execute(async (tx) => {
      await requeueWebhookEvent(tx, event);
      await byTable(tx)
        .updateTable('webhook_events')
        .set({ attempts: 7, due_at: new Date(Date.now() + 600_000) })
        .where('id', '=', event.id)
        .execute();
    });
  expect((await reconcile(app())).counts).toMatchObject({ 'callbacks brought forward': 1 });
  await until(
    () =>
      byTable(app().db).selectFrom('webhook_events').select('status').where('id', '=', event.id).execute(),
    ([row]) => row?.status !== 'received',
  );
});

test('an effect of a process that is gone is taken over without a reconciliation', async () => {
  const { id, spoilt } = await stuckPayout(33);
  await changeWaitingEffect(world, id, { leased_by: newId() });
  spoilt.heal();
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('a reconciliation queues an effect again if it is marked done but its resource does not exist', async () => {
  const { id, spoilt } = await stuckPayout(34);
  await changeWaitingEffect(world, id, { status: 'done', due_at: null });
  spoilt.heal();
  expect((await reconcile(app())).counts).toMatchObject({ 'effects ordered again': 1 });
  await reaches(ada, id, 'completed');
  expect((await movementsOf(ada, 'BRL')).filter((line) => line === 'DEBIT PAYOUT 34.00')).toHaveLength(1);
});

test('a reconciliation opens a missing account, which is the same one as before', async () => {
  const account = () =>
    byTable(app().db)
      .selectFrom('provider_accounts')
      .select(['id', 'state', 'provider_account_id'])
      .where('user_id', '=', ada.userId)
      .where('currency', '=', 'BRL')
      .executeTakeFirst();
  const before = await account();
  await byTable(app().db).deleteFrom('provider_accounts').where('id', '=', String(before?.id)).execute();
  await byTable(app().db)
    .deleteFrom('provider_resources')
    .where('handle', '=', handleFor(ada.userId, 'account-BRL'))
    .execute();
  expect((await reconcile(app())).counts).toMatchObject({ 'users provisioned': 1 });
  const opened = await until(account, (row) => row?.state === 'active');
  expect(opened?.provider_account_id).toBe(before?.provider_account_id);
});

test('a discrepancy is recorded once however often it is seen, changes nothing, and is resolved by a newer snapshot', async () => {
  const id = await pay(ada, await quote(ada, 35));
  await reaches(ada, id, 'completed');
  const payout = await app().provider.findPayout(handleFor(id, 'payout'));
  const failed = {
    ...(payout as PayoutSnapshot),
    status: 'failed',
    failureReason: 'a change of mind',
  } as const;
  const later = new Date(failed.updatedAt.getTime() + 1);
  const cause = { kind: 'job', id: 'test' } as const;
  for (let i = 0; i < 3; i += 1)
    expect(await applyReported(app(), { ...failed, updatedAt: later }, cause)).toBe('refused');
  expect(await discrepanciesOf(id)).toMatchObject([
    { event: 'off-ramp.failed', state: 'completed', resolved_at: null, event_data: { attempt: 1 } },
  ]);
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 1 });
  await reaches(ada, id, 'completed');

  await refundWithoutCallback(world, payout?.providerRef);
  expect(await reconcile(app())).toMatchObject({
    counts: { 'discrepancies settled': 1, 'payouts corrected': 1 },
    openDiscrepancies: 0,
  });
  expect(await discrepanciesOf(id)).toMatchObject([{ resolution: OVERTAKEN }]);
});

test('a discrepancy is not resolved by a snapshot of the same time', async () => {
  const id = await pay(ada, await quote(ada, 37));
  await reaches(ada, id, 'completed');
  const payout = await app().provider.findPayout(handleFor(id, 'payout'));
  const failed = { ...(payout as PayoutSnapshot), status: 'failed' } as const;
  expect(await applyReported(app(), failed, { kind: 'job', id: 'test' })).toBe('refused');
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 1 });
  expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'contradicted_state', resolved_at: null }]);
  const resolved = { resolved_at: new Date(), resolution: 'seen to' };
  await byTable(app().db).updateTable('discrepancies').set(resolved).where('subject_id', '=', id).execute();
});

test('a repetition of an applied snapshot records no discrepancy', async () => {
  const id = await pay(ada, await quote(ada, 36));
  await reaches(ada, id, 'completed');
  const payout = await app().provider.findPayout(handleFor(id, 'payout'));
  const touched = { ...(payout as PayoutSnapshot), updatedAt: new Date(Date.now() + 1) };
  expect(await applyReported(app(), touched, { kind: 'job', id: 'test' })).toBe('nothing_new');
  expect(await discrepanciesOf(id)).toEqual([]);
});

/** The context of a page that begins now. */
async function contextOf(run: string): Promise<StageContext> {
  const services = app();
  return {
    ...services,
    cause: { kind: 'job', id: 'a test' },
    counters: createCounters(),
    signal: undefined,
    run,
    now: await services.databaseClock.now(services.db),
    isNight: true,
  };
}

/** Makes a payment whose payout the provider refuses until the test heals it. */
async function stuckPayout(amountBrl: number) {
  const spoilt = proxy.spoil({
    operation: 'createPayout',
    spoilt: { status: 503 },
    forwarded: false,
    about: `"amount":"${amountBrl}.00"`,
    times: 1_000,
  });
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'paying');
  await until(
    async () => spoilt.hits(),
    (hits) => hits > 0,
  );
  return { id, spoilt };
}

const discrepanciesOf = (id: string) =>
  byTable(app().db).selectFrom('discrepancies').selectAll().where('subject_id', '=', id).execute();

const depositsOf = async (amount: number): Promise<number> =>
  must(await ada.api.GET('/transactions', { params: { query: { limit: 1000 } } })).filter(
    ({ type, sourceAmount }) => type === 'deposit' && sourceAmount === amount,
  ).length;
