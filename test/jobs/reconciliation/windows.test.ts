// A night reconciles by windows of time. Each window is divided into slices that processes work on concurrently. A late, moved or
// refused object is applied, and nothing is lost if the provider ignores windows, a page fails or a process dies.
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { insertSlice } from '../../../src/jobs/reconciliation/slices.ts';
import { insertRun } from '../../../src/jobs/run.ts';
import { countBacklog } from '../../../src/metrics/backlog.ts';
import { SLICE_JOB } from '../../../src/tables/job-runs/work.ts';
import type { Db } from '../../../src/tables/orm.ts';
import { byTable } from '../../support/by-table.ts';
import { valueOf } from '../../support/metrics.ts';
import { type Person, pay, quote, reaches, verified } from '../../support/person.ts';
import { depositWithoutCallback, refundWithoutCallback } from '../../support/unannounced.ts';
import { until } from '../../support/until.ts';
import { payoutsOf } from '../../support/upstream.ts';
import type { Reply } from '../../support/upstream-proxy.ts';
import { useWorld } from '../../support/use-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const JUST_NOW_MS = -1_000;

const { world, proxy, ada, app } = useWorld({
  proxy: true,
  env: { PROVIDER_TIMEOUT_MS: '60000' },
  deposit: '5000.00',
});

beforeEach(async () => {
  const { db } = world.service.app;
  await byTable(db).deleteFrom('job_runs').execute();
  await byTable(db).deleteFrom('provider_cursors').execute();
});

const ahead = async () => valueOf(await countBacklog(app().db, new Date()), 'ponte_lists_planned_ahead');

/** Runs a night that begins after this time, when the changes before it are old enough for a window. The service works on it. */
const night = (run: string, laterMs: number) =>
  world.clock.later(laterMs, async () => {
    await insertRun(app().db, 'reconcile', run, JUST_NOW_MS);
    await until(
      () =>
        byTable(app().db)
          .selectFrom('job_runs')
          .select('run')
          // A page that ends makes the next one due at that moment, which may be later than the test's clock.
          .where('due_at', '<', sql<Date>`now() + interval '1 minute'`)
          .where('failures', '=', 0)
          .execute(),
      (due) => due.length === 0,
    );
  });

const slices = () =>
  byTable(app().db).selectFrom('job_runs').selectAll().where('job', '=', SLICE_JOB).orderBy('run').execute();
const countsOf = async () => {
  const counts: Record<string, number> = {};
  for (const row of await slices())
    for (const [what, count] of Object.entries(row.counts as Record<string, number>))
      counts[what] = (counts[what] ?? 0) + count;
  return counts;
};
const unfinished = async () => (await slices()).filter(({ finished_at }) => finished_at === null);
const dueNow = () =>
  byTable(app().db)
    .updateTable('job_runs')
    .set({ due_at: new Date(Date.now() - MINUTE_MS) })
    .where('job', '=', SLICE_JOB)
    .where('finished_at', 'is', null)
    .execute();
const homeAccounts = () =>
  byTable(app().db)
    .selectFrom('provider_accounts')
    .select(['id', 'user_id', 'provider_account_id'])
    .where('currency', '=', 'GBP')
    .orderBy('id')
    .execute();
const homeAccountsOf = async (people: Person[]) => {
  const accounts = await homeAccounts();
  return people.map(({ userId }) => accounts.find(({ user_id }) => user_id === userId));
};
const plannedTo = async (list: 'payouts' | 'transfers' | 'movements') =>
  (
    await byTable(app().db)
      .selectFrom('provider_cursors')
      .select('planned_to')
      .where('list', '=', list)
      .executeTakeFirst()
  )?.planned_to;
/** Writes that a list was planned up to a time that is `laterMs` from now. */
const planned = (list: 'payouts' | 'transfers' | 'movements', laterMs: number) => {
  const at = new Date(Date.now() + laterMs);
  return byTable(app().db)
    .insertInto('provider_cursors')
    .values({ list, planned_to: at, updated_at: at })
    .execute();
};
const depositsOf = async (minor: number) =>
  (
    await byTable(app().db)
      .selectFrom('transactions')
      .select('id')
      .where('user_id', '=', ada.userId)
      .where('source_amount_minor', '=', minor)
      .execute()
  ).length;

test('a night finds a lost deposit in the list of all movements, and the next night continues from there', async () => {
  await depositWithoutCallback(ada, '21.01');
  await night('2036-12-01', HOUR_MS);
  expect(await depositsOf(2_101)).toBe(1);
  expect(await unfinished()).toEqual([]);
  const first = await plannedTo('movements');
  await depositWithoutCallback(ada, '21.02');
  await night('2036-12-02', 2 * HOUR_MS);
  expect([await depositsOf(2_101), await depositsOf(2_102)]).toEqual([1, 1]);
  expect((await plannedTo('movements'))?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity);
});

test('a night applies an object that was created in an older window and updated later', async () => {
  const id = await pay(ada, await quote(ada, 20));
  await reaches(ada, id, 'completed');
  await night('2036-12-03', HOUR_MS);
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  await night('2036-12-04', 2 * HOUR_MS);
  expect((await countsOf())['payouts corrected']).toBe(1);
  await reaches(ada, id, 'manual_review');
});

test('a process whose clock is ahead plans no night over changes that are still to come', async () => {
  const id = await pay(ada, await quote(ada, 23));
  await reaches(ada, id, 'completed');
  await world.clock.ahead(3 * DAY_MS, () => night('2036-12-13', HOUR_MS));
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  await night('2036-12-14', 2 * HOUR_MS);
  expect((await reaches(ada, id, 'manual_review')).failureCode).toBe('payout_returned');
});

test('a list that was planned further than now raises an alarm and is listed again for a month', async () => {
  const id = await pay(ada, await quote(ada, 24));
  await reaches(ada, id, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  expect(await ahead()).toBe(0);
  await planned('payouts', 3 * DAY_MS);
  expect(await ahead()).toBe(1);
  await night('2036-12-15', HOUR_MS);
  await reaches(ada, id, 'manual_review');
  expect((await plannedTo('payouts'))?.getTime()).toBeLessThan(Date.now() + HOUR_MS);
});

test('a change that the provider dated before the end of the last window is found a week later', async () => {
  const id = await pay(ada, await quote(ada, 26));
  await reaches(ada, id, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  for (const list of ['payouts', 'transfers', 'movements'] as const) await planned(list, 2 * HOUR_MS);
  await night('2036-12-16', DAY_MS);
  await reaches(ada, id, 'completed');
  await night('2036-12-23', 7 * DAY_MS);
  expect((await reaches(ada, id, 'manual_review')).failureCode).toBe('payout_returned');
});

test.for([
  ['years before', '2020-01-01T00:00:00.000Z', '27'],
  ['years after', '2031-01-01T00:00:00.000Z', '28'],
] as const)(
  'an object with a time %s its window stops no other object, and is a finding until it is fetched',
  async ([, updatedAt, amount]) => {
    const { db } = app();
    const [odd, other] = [
      await pay(ada, await quote(ada, Number(amount))),
      await pay(ada, await quote(ada, Number(amount))),
    ];
    for (const id of [odd, other]) await reaches(ada, id, 'completed');
    const [payout] = await payoutsOf(world, odd);
    const lie = proxy.lie({
      operation: 'findPayouts',
      about: String(payout?.uuid),
      change: (truth) => ({ ...truth, updated_at: updatedAt }),
    });
    await refundWithoutCallback(world, (await payoutsOf(world, other))[0]?.uuid);
    await night(`2027-02-${amount}`, HOUR_MS);
    await reaches(ada, other, 'manual_review');
    const findings = () =>
      byTable(db)
        .selectFrom('list_findings')
        .select(['list', 'reason', 'resolution'])
        .where('provider_ref', '=', String(payout?.uuid))
        .execute();
    const reason = 'its time is outside the requested window';
    expect(await findings()).toEqual([{ list: 'payouts', reason, resolution: null }]);
    expect(await unfinished()).toEqual([]);
    lie.heal();
    await night(`2027-03-${amount}`, 2 * HOUR_MS);
    expect(await findings()).toEqual([{ list: 'payouts', reason, resolution: 'It can be read since.' }]);
  },
);

test('a slice that fails is repeated until it succeeds, and the other slices do not wait for it', async () => {
  await depositWithoutCallback(ada, '21.04');
  const spoilt = proxy.spoil({
    operation: 'listCompanyMovements',
    spoilt: { status: 500 },
    forwarded: false,
    about: 'limit=500',
    times: 1_000,
  });
  await night('2036-12-06', HOUR_MS);
  const waiting = await unfinished();
  expect(new Set(waiting.map(({ run }) => run.split(' ')[0]))).toEqual(new Set(['movements']));
  expect(waiting.every(({ failures }) => failures === 1)).toBe(true);
  spoilt.heal();
  await dueNow();
  await until(
    () => unfinished(),
    (rest) => rest.length === 0,
  );
  expect(await depositsOf(2_104)).toBe(1);
});

test('a deposit that cannot be recorded becomes a slice of its own, and the rest of its slice ends', async () => {
  const { db } = app();
  await depositWithoutCallback(ada, '21.05');
  await depositWithoutCallback(ada, '21.15');
  const refusal = await refuseAmount(db, 2_105);
  onTestFinished(refusal.end);
  await night('2036-12-08', HOUR_MS);
  expect([await depositsOf(2_105), await depositsOf(2_115)]).toEqual([0, 1]);
  const waiting = (await unfinished()).map(({ run }) => run.split(' '));
  const windows = waiting.filter(([list]) => list === 'movements');
  expect(windows.map(([, from = '', to = '']) => Date.parse(to) - Date.parse(from))).toEqual([1]);
  // The scan of her account meets the same deposit.
  expect(waiting.filter(([list]) => list !== 'movements').map(([list]) => list)).toEqual(['accounts']);
  await refusal.end();
  await dueNow();
  await until(
    () => unfinished(),
    (found) => found.length === 0,
  );
  expect(await depositsOf(2_105)).toBe(1);
});

test('a night scans the whole lists if the provider ignores windows and returns everything', async () => {
  const id = await pay(ada, await quote(ada, 22));
  await reaches(ada, id, 'completed');
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  await depositWithoutCallback(ada, '21.06');
  const ignored = await ignoreWindows();
  await night('2036-12-09', HOUR_MS);
  ignored.heal();
  expect(await slices()).toEqual([]);
  await reaches(ada, id, 'manual_review');
  expect(await depositsOf(2_106)).toBe(1);
});

test.for([400, 404])(
  'a night scans the whole lists if the provider refuses windows with %i',
  async (status) => {
    const amount = status === 400 ? '21.07' : '21.08';
    await depositWithoutCallback(ada, amount);
    const spoilt = ['listCompanyMovements', 'findPayouts', 'findInternalTransfers'].map((operation) =>
      proxy.spoil({
        operation: operation as 'findPayouts',
        spoilt: { status },
        forwarded: false,
        about: '_from=',
        times: 1_000,
      }),
    );
    await night(`2036-12-1${status === 400 ? 0 : 1}`, HOUR_MS);
    for (const { heal } of spoilt) heal();
    expect(await slices()).toEqual([]);
    expect(await plannedTo('movements')).toBeUndefined();
    expect(await depositsOf(Number(amount.replace('.', '')))).toBe(1);
  },
);

test('unknown fields in a window make no object unreadable', async () => {
  await depositWithoutCallback(ada, '21.09');
  const lie = proxy.lie({
    operation: 'listCompanyMovements',
    change: (truth) => ({ ...truth, colour: 'blue' }),
  });
  await night('2036-12-12', HOUR_MS);
  lie.heal();
  expect(await depositsOf(2_109)).toBe(1);
});

test('each night scans a share of the accounts, until every account was scanned', async () => {
  const accounts = await homeAccountsOf([ada, await verified(world), await verified(world)]);
  const all = (await homeAccounts()).length;
  for (let day = 1; day <= 6; day += 1) await night(`2027-01-0${day}`, day * HOUR_MS);
  expect(all).toBeLessThan(6);
  const scanned = (await slices()).flatMap(({ run }) => run.match(/^accounts (\S+) \d+$/)?.[1] ?? []);
  expect(new Set(scanned)).toEqual(new Set((await homeAccounts()).map(({ id }) => id)));
  expect(scanned).toEqual(expect.arrayContaining(accounts.map((account) => account?.id)));
  expect(await unfinished()).toEqual([]);
});

test('an account whose scan fails becomes a slice of its own, and the accounts after it do not wait', async () => {
  const [failing, other] = await homeAccountsOf([await verified(world), await verified(world)]);
  const spoilt = proxy.spoil({
    operation: 'listMovements',
    spoilt: { status: 500 },
    forwarded: false,
    about: failing?.provider_account_id ?? '',
    times: 1_000,
  });
  await depositWithoutCallback(ada, '21.10');
  const { db } = app();
  const range = (await homeAccounts()).map(({ id }) => id);
  const [first, last = ''] = [range[0], range.at(-1)];
  await insertSlice(db, { run: `accounts ${first} 0`, page: { after: null, last } });
  const rest = await until(
    () => unfinished(),
    (found) => found.length === 1 && !found[0]?.run.endsWith(' 0'),
  );
  expect(rest[0]?.run).toMatch(new RegExp(`^accounts ${failing?.id} \\d+$`));
  expect(await countsOf()).toMatchObject({ 'home accounts scanned': range.length, 'not checked': 1 });
  expect(await depositsOf(2_110)).toBe(1);
  expect(range).toContain(other?.id);
  spoilt.heal();
  await dueNow();
  await until(
    () => unfinished(),
    (found) => found.length === 0,
  );
});

/** Makes the database refuse transactions of an amount. */
async function refuseAmount(db: Db, minor: number) {
  await sql`create function refuse_amount() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`.execute(
    db,
  );
  await sql`create trigger refuse_amount before insert on transactions for each row
    when (new.source_amount_minor = ${sql.lit(minor)}) execute function refuse_amount()`.execute(db);
  return {
    end: async () => {
      await sql`drop function if exists refuse_amount cascade`.execute(db);
    },
  };
}

/** Makes the provider answer with its whole lists, whatever the window. */
async function ignoreWindows() {
  const whole = new Map<string, Reply>();
  const rewriting = proxy.rewrite((call, reply) => {
    const operation = call.operation === 'listMovements' ? 'listCompanyMovements' : (call.operation ?? '');
    if (call.text.includes('_from=')) return whole.get(operation) ?? reply;
    if (lists.has(operation) && !call.text.includes('origin_id')) whole.set(operation, reply);
    return reply;
  });
  const { provider } = app();
  const page = { after: null, limit: 500 };
  await provider.listPayouts(page);
  await provider.listTransfers(page);
  for (const { provider_account_id: ref } of await homeAccounts())
    if (ref !== null) await provider.listMovements(ref, page);
  expect(new Set(whole.keys())).toEqual(new Set(lists));
  return rewriting;
}
const lists = new Set(['listCompanyMovements', 'findPayouts', 'findInternalTransfers']);
