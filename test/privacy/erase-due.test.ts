// Six years after a user closed their account, no table has any row of them and no key opens anything of them. No user is erased
// while they still have money.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { eraseUser } from '../../src/privacy/erase-user.ts';
import { idsOf } from '../../src/privacy/user-ids.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { createSealer } from '../../src/security/sealer.ts';
import {
  erasedTables,
  listPersonsRows,
  type PersonalTable,
  personalDataMap,
} from '../../src/tables/personal-data-map.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { everythingIn } from '../support/dump.ts';
import {
  balanceOf,
  must,
  type Person,
  pay,
  quote,
  reaches,
  signUp,
  verified,
  withdraw,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { makeVera, vera, type WholePerson } from '../support/whole-person.ts';

const DAY_MS = 24 * 60 * 60_000;

let whole: WholePerson;
let dueAt: Date;
/** A user with rows in many of the same tables, who is not erased. */
let neighbour: Person;

const close = async ({ api }: Person): Promise<Date> =>
  new Date(must(await api.DELETE('/me')).hardDeletionScheduledFor);
/** Runs a nightly job this long before or after the retention period ends. */
const nightAt = (due: Date, offsetMs: number, job: 'erase-due' | 'purge-payloads' = 'erase-due') =>
  world.clock.later(due.getTime() - Date.now() + offsetMs, () => runJob(app(), job, { run: randomUUID() }));
/** A sealer without a key in memory, like that of a process that starts at that time. */
const freshSealer = () => createSealer(createDataKeys(db(), app().config.masterKeys));

const { world, app, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeAll(async () => {
  neighbour = await verified(world, { deposit: '50.00', fullName: 'Nadia Bleibt' });
  await reaches(neighbour, await pay(neighbour, await quote(neighbour, 20)), 'completed');
  whole = await makeVera(world);
  dueAt = await close(whole.person);
});

test('the test user has rows in every table that can hold personal data', async () => {
  const empty: string[] = [];
  for (const table of erasedTables) {
    // Rows that served only the app were deleted when she closed her account.
    if (['idempotency_keys', 'name_checks', 'pix_recipients'].includes(table)) continue;
    if ((await rowsIn(table, whole.ids)) === 0) empty.push(table);
  }
  expect(empty).toEqual([]);
  expect(await rowsIn('audit_events', whole.ids)).toBeGreaterThan(0);
  expect(whole.ids.callbacks.length).toBeGreaterThan(0);
});

test('the ids of the test user find every row that names her in a column', async () => {
  for (const table of await tablesWithUserId()) {
    const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from ${sql.table(table)} where user_id = ${whole.person.userId}
      `.execute(db());
    // A callback names its user only while it waits.
    const expected = table === 'webhook_events' ? 0 : await rowsIn(table as 'users', whole.ids);
    expect([table, rows[0]?.count]).toEqual([table, expected]);
  }
});

test('a user is kept for as long as the law requires: after five years and 364 days nothing happens', async () => {
  const before = await everythingIn(db(), freshSealer());
  expect((await nightAt(dueAt, -DAY_MS)).run.counts).toEqual({});
  const after = await everythingIn(db(), freshSealer());
  for (const value of [vera.subject, vera.fullName, vera.realEmail, vera.iban, vera.pixKey, vera.lookedUp]) {
    expect(before).toContain(value);
    expect(after).toContain(value);
  }
});

test('a process whose clock is six years ahead erases nobody and removes nothing', async () => {
  for (const job of ['erase-due', 'purge-payloads'] as const) {
    const { run } = await world.clock.ahead(dueAt.getTime() - Date.now() + DAY_MS, () =>
      runJob(app(), job, { run: randomUUID() }),
    );
    expect([job, run.counts]).toEqual([job, {}]);
  }
  expect(await everythingIn(db(), freshSealer())).toContain(vera.iban);
});

test('six years after closure a user has no row, no sealed value and no key left, and every other user is unchanged', async () => {
  const { userId } = whole.person;
  const backup = await byTable(db())
    .selectFrom('bank_details')
    .selectAll()
    .where('user_id', '=', userId)
    .where('currency', '=', 'EUR')
    .executeTakeFirstOrThrow();
  const context = encryptionContexts.bankDetails(userId, 'EUR', backup.version);
  expect(await freshSealer().open(context, backup.details_sealed)).toContain(vera.iban);
  // This job deletes old work of every user.
  await nightAt(dueAt, 1_000, 'purge-payloads');
  const others = await rowsOfNeighbour();
  const { run, counters } = await nightAt(dueAt, 1_000);
  expect([run.counts, counters.failures, counters.skipped]).toEqual([{ 'people erased': 1 }, [], []]);

  for (const table of erasedTables) expect([table, await rowsIn(table, whole.ids)]).toEqual([table, 0]);
  const dump = await everythingIn(db(), freshSealer(), { except: ['audit_events'] });
  expect(dump).toContain('Nadia Bleibt');
  for (const [what, value] of Object.entries(vera))
    expect([what, dump.includes(value)]).toEqual([what, false]);
  const { payments, transactions, subjects, callbacks } = whole.ids;
  for (const id of [userId, ...payments, ...transactions, ...subjects, ...callbacks])
    expect([id, dump.split('\n').filter((line) => line.includes(id))]).toEqual([id, []]);

  await expect(freshSealer().open(context, backup.details_sealed)).rejects.toThrow('destroyed');
  expect(await rowsOfNeighbour()).toEqual(others);
});

test('an erasure leaves an entry in the audit log, with an id that identifies nobody and without personal data', async () => {
  const rows = await byTable(db())
    .selectFrom('audit_events')
    .selectAll()
    .where('user_id', '=', whole.person.userId)
    .orderBy('seq')
    .execute();
  expect(rows.at(-1)).toMatchObject({
    action: 'person.erased',
    details: { cause: expect.stringContaining('job:erase-due:') as string },
  });
  const text = JSON.stringify(await byTable(db()).selectFrom('audit_events').selectAll().execute());
  for (const [what, value] of Object.entries(vera))
    expect([what, text.includes(value)]).toEqual([what, false]);
});

test('an erased user may sign up again as a new user', async () => {
  const again = await signUp(world, { subject: vera.subject, name: 'Vera', email: vera.email });
  expect(again.userId).not.toBe(whole.person.userId);
});

test('a report that is applied while its user is erased matches nothing and does not recreate a key', async () => {
  const person = await verified(world);
  const { userId } = person;
  const due = await close(person);
  const { provider, sealer } = app();
  const { provider_ref: ref } = await byTable(db())
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('user_id', '=', userId)
    .where('kind', '=', 'owner')
    .executeTakeFirstOrThrow();
  const owner = await provider.getOwner(ref ?? '');
  const cause = { kind: 'job', id: 'late' } as const;
  const erase = () => eraseUser(app(), userId, cause);
  // The report has already found its resource when the erasure commits.
  app().sealer = {
    ...sealer,
    seal: async (...of) => {
      expect(await world.clock.later(due.getTime() - Date.now() + 1_000, erase)).toBe('erased');
      return freshSealer().seal(...of);
    },
  };
  const result = await applyReported(app(), owner, cause);
  app().sealer = sealer;
  expect(result).toBe('unmatched');
  expect(
    await byTable(db()).selectFrom('data_keys').select('scope').where('scope', '=', userId).execute(),
  ).toEqual([]);
});

test('a user who still has money is kept and named, and neither they nor a user who cannot be checked delays others', async () => {
  const [rich, owed, unknown, gone] = [
    await verified(world, { deposit: '10.00' }),
    await verified(world, { deposit: '50.00' }),
    await verified(world),
    await verified(world),
  ];
  const failed = await pay(owed, await quote(owed, 20), {
    pixKey: 'fail@pix.example',
    pixKeyType: 'email',
  });
  await reaches(owed, failed, 'payout_failed');
  for (const person of [rich, owed, unknown]) await close(person);
  const lastDue = await close(gone);

  const { provider } = app();
  const refs = await accountRefsOf(unknown);
  app().provider = {
    ...provider,
    getAccount: async (ref) => {
      if (refs.includes(ref)) throw new OutcomeUnknown('getAccount', 'answered 503', { status: 503 });
      return provider.getAccount(ref);
    },
  };
  const { run, counters } = await nightAt(lastDue, 1_000);
  app().provider = provider;
  expect(run.counts).toEqual({
    'people erased': 1,
    'people kept: money left': 1,
    'people kept: money under way': 1,
    'not checked': 1,
  });
  expect(counters.skipped.toSorted((a, b) => (a.why < b.why ? -1 : 1))).toEqual([
    { id: rich.userId, why: 'money left' },
    { id: owed.userId, why: 'money under way' },
  ]);
  expect(counters.failures).toMatchObject([{ stage: 'people', id: unknown.userId }]);
  expect(await usersAmong([rich, owed, unknown, gone])).toEqual(
    [rich, owed, unknown].map(({ userId }) => userId),
  );

  expect((await nightAt(lastDue, 1_000)).run.counts).toMatchObject({ 'people erased': 1 });
  expect(await usersAmong([unknown])).toEqual([]);
  await isErasedBySayingSo(owed, lastDue);
});

test('a user with a payment in manual_review is kept until it was settled, and then erased although its BRL is there', async () => {
  const person = await verified(world, { deposit: '50.00' });
  const to = { pixKey: 'return@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(person, await quote(person, 20), to);
  await reaches(person, id, 'manual_review');
  await withdraw(person, (await balanceOf(person)) ?? 0);
  await until(
    () => balanceOf(person),
    (balance) => balance === 0,
  );
  const due = await close(person);
  const { counters } = await nightAt(due, 1_000);
  expect(counters.skipped).toContainEqual({ id: person.userId, why: 'money under way' });
  for (const operator of ['olga', 'otto']) {
    const figures = ['--amount', '1.00', '--currency', 'GBP', '--reference', 'FPS 4711'];
    const args = ['payments', 'settle', id, ...figures, '--operator', operator, '--reason', 'a test'];
    expect(await opsHere(app(), args)).toMatchObject({ code: 0, err: '' });
  }
  const { provider } = app();
  app().provider = {
    ...provider,
    findPayout: async (handle) => {
      const payout = await provider.findPayout(handle);
      return payout && { ...payout, status: 'completed' };
    },
  };
  const night = await nightAt(due, 1_000);
  app().provider = provider;
  expect(night.counters.skipped).toContainEqual({ id: person.userId, why: 'money left' });
  expect((await nightAt(due, 1_000)).run.counts).toMatchObject({ 'people erased': 1 });
  expect(await usersAmong([person])).toEqual([]);
});

test('a user whose money is moving during the check waits for another night', async () => {
  const person = await verified(world);
  const due = await close(person);
  const { provider } = app();
  const [ref] = await accountRefsOf(person);
  app().provider = {
    ...provider,
    getAccount: async (accountRef) => {
      const account = await provider.getAccount(accountRef);
      if (accountRef === ref)
        await byTable(db())
          .updateTable('users')
          .set({ balance_version: sql<number>`balance_version + 1` })
          .where('id', '=', person.userId)
          .execute();
      return account;
    },
  };
  const { counters } = await nightAt(due, 1_000);
  app().provider = provider;
  expect(counters.skipped).toContainEqual({ id: person.userId, why: 'money moved' });
  expect((await nightAt(due, 1_000)).run.counts).toMatchObject({ 'people erased': 1 });
});

/** Erases a user whose money was settled elsewhere, as an operator confirms with --force. */
async function isErasedBySayingSo({ userId }: Person, due: Date): Promise<void> {
  const args = ['erasure', 'run', '--force', userId, '--reason', 'paid out by hand, ticket 4715'];
  const early = await opsHere(app(), args);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('is not due')]);
  const said = await world.clock.later(due.getTime() - Date.now() + 1_000, () => opsHere(app(), args));
  expect([said.code, said.out]).toEqual([
    0,
    expect.stringMatching(/people kept: money left\n {2}left: \S+: money left/),
  ]);
  const { rows } = await sql`select from users where id = ${userId}`.execute(db());
  expect(rows).toEqual([]);
}

const rowsIn = async (table: PersonalTable, ids: WholePerson['ids']): Promise<number> =>
  (await listPersonsRows[table](db(), ids)).length;

async function tablesWithUserId(): Promise<string[]> {
  const { rows } = await sql<{ table: string }>`
    select table_name as table from information_schema.columns
    where table_schema = 'public' and column_name = 'user_id' order by 1
  `.execute(db());
  return rows.map(({ table }) => table);
}

async function rowsOfNeighbour(): Promise<[string, number][]> {
  const ids = await idsOf(db(), neighbour.userId);
  const counted: [string, number][] = [];
  for (const table of erasedTables.filter((one) => one !== 'webhook_events'))
    counted.push([table, await rowsIn(table, ids)]);
  return counted;
}

const accountRefsOf = async ({ userId }: Person): Promise<string[]> =>
  (
    await byTable(db())
      .selectFrom('provider_accounts')
      .select('provider_account_id')
      .where('user_id', '=', userId)
      .execute()
  ).map(({ provider_account_id: ref }) => ref ?? '');

const usersAmong = async (people: Person[]): Promise<string[]> => {
  const ids = people.map(({ userId }) => userId);
  const found = await byTable(db()).selectFrom('users').select('id').where('id', 'in', ids).execute();
  return ids.filter((id) => found.some((row) => row.id === id));
};

test('the personal-data map has every table of the database, and every table with a person’s id as personal', async () => {
  const { rows } = await sql<{ table: string }>`
      select relname as table from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('schema_migrations', 'schema_floor')
    `.execute(db());
  expect(rows.map(({ table }) => table).toSorted()).toEqual(Object.keys(personalDataMap).toSorted());
  const personal = Object.entries(personalDataMap).flatMap(([table, context]) =>
    'rows' in context ? [table] : [],
  );
  for (const table of await tablesWithUserId()) expect(personal).toContain(table);
});

test('an account that a process with a wrong clock closes is kept for six years all the same', async () => {
  const person = await signUp(world);
  const due = await world.clock.ahead(10 * DAY_MS, () => close(person));
  const sixYears = new Date().setUTCFullYear(new Date().getUTCFullYear() + 6);
  expect(Math.abs(due.getTime() - sixYears)).toBeLessThan(2 * DAY_MS);
});
