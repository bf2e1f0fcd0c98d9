// Row locks are taken in one order (docs/decisions/0002-read-committed-with-row-locks.md). The order of every test's transactions is
// recorded (test/support/lock-order.ts). Here the record itself is tested, and a deadlock that the order prevents.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { statementsIn } from '../../scripts/statements.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { gbp } from '../support/bank-details.ts';
import { locksIn, tablesOfUsers, takeWrongOrders } from '../support/lock-order.ts';
import { waitingForLocks } from '../support/locks.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must } from '../support/person.ts';
import { ROOT, surroundings } from '../support/process.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada: payer } = useWorld({ deposit: '500.00' });

test('every statement that locks rows names a table that the record knows', async () => {
  const clause = /\bfor (?:(?:no key )?update|(?:key )?share)\b/i;
  const locking = (await statementsIn()).filter(({ text }) => clause.test(text));
  expect(locking.length).toBeGreaterThan(20);
  const tables = new Set(locking.flatMap(({ text }) => locksIn(text).map(({ table }) => table)));
  for (const table of ['users', 'pix_payments', 'withdraws', 'provider_resources', 'effects'])
    expect(tables).toContain(table);
});

test('the record knows every table whose inserts lock the row of a user', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'users'::regclass`.execute(world.service.app.db);
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...tablesOfUsers].toSorted());
});

describe('the record notices', () => {
  const [ada, bea] = ['0190a0f0-0000-7000-8000-000000000001', '0190a0f0-0000-7000-8000-000000000002'];
  const user = (id = ada, readAt: Date | null = new Date(0)) =>
    ['update users set balance_read_at = $2 where id = $1', [id, readAt]] as const;
  const nobody = ['select from users where id = $1', [null]] as const;
  const payment = (id = ada) =>
    ['select from pix_payments where user_id = $1 for no key update', [id]] as const;
  const resource = ['update provider_resources set poll_count = 0 where user_id = $1', [ada]] as const;
  const reported = [
    'update provider_resources set snapshot_attempt = $2 where user_id = $1',
    [ada, null],
  ] as const;
  const effect = ['delete from effects where user_id = $1', [ada]] as const;
  const quote = ['select from pix_quotes quote where user_id = $1 for update of quote', [ada]] as const;
  const callback = ['update webhook_events set attempts = 0 where id = $1', [ada]] as const;
  const deposit = ['insert into transactions select * from transactions where user_id = $1', [ada]] as const;
  const group = 'begin; set local lock_timeout = 150';

  test.for([
    ['the right order', 'begin', [user(), payment(), resource, effect, quote], []],
    ['a user behind a payment', 'begin', [payment(), user()], ['pix_payments before users']],
    ['a user behind a quote', 'begin', [quote, user()], ['pix_quotes before users']],
    [
      'a payment behind a resource',
      'begin',
      [resource, payment()],
      ['provider_resources before pix_payments'],
    ],
    ['a resource behind an effect', 'begin', [effect, resource], ['effects before provider_resources']],
    ['a deposit behind a payment', 'begin', [payment(), deposit], ['pix_payments before users']],
    ['a user behind a callback', 'begin', [callback, user()], ['webhook_events before users']],
    ['a row that is locked again', 'begin', [user(), payment(), user()], []],
    ['two users of one group', group, [payment(), user(bea), payment(bea)], []],
    [
      'the second user of a group',
      group,
      [payment(), payment(bea), user(bea)],
      ['pix_payments before users'],
    ],
    ['nulls that two users of a group have in common', group, [nobody, reported, user(bea, null)], []],
  ] as const)('%s', async ([, begin, statements, wrong]) => {
    await inSession(world.databaseUrl, async (client) => {
      await client.query(begin);
      for (const [text, values] of statements) await client.query(text, [...values]);
      await client.query('rollback');
    });
    expect(takeWrongOrders().map((order) => order.split('\n')[0])).toEqual(wrong);
  });
});

test('the record notices a wrong order in a process that a test starts', async () => {
  const script = `
    import { Client } from 'pg';
    const client = new Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    await client.query('begin');
    await client.query('delete from effects where false');
    await client.query('delete from users where false');
    await client.end();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env: { ...surroundings(), DATABASE_URL: world.databaseUrl },
  });
  expect(takeWrongOrders().map((order) => order.split('\n')[0])).toEqual(['effects before users']);
});

test('a report that changes the balance waits for the lock of the user without a lock of its own', async () => {
  const { app } = world.service;
  must(await payer.api.POST('/bank-details', { body: gbp }));
  const { id } = must(await payer.api.POST('/withdraws', { body: { amount: 25 } }));
  const statusIs = (status: string) =>
    until(
      async () => must(await payer.api.GET('/transactions/{id}', { params: { path: { id } } })),
      (transaction) => transaction.status === status,
    );
  await statusIs('completed');
  await outboxEmpties(world);
  const payout = await app.provider.findPayout(handleFor(id, 'withdraw'));
  if (payout === null) throw new Error('the withdrawal has no payout');

  await inSession(world.databaseUrl, async (closing) => {
    // This session looks for a deadlock before the other one does.
    await closing.query(`begin; set local deadlock_timeout = '10ms'`);
    await closing.query('select from users where id = $1 for no key update', [payer.userId]);
    const reported = applyReported(
      app,
      { ...payout, status: 'refunded', updatedAt: new Date(payout.updatedAt.getTime() + 1_000) },
      { kind: 'job', id: 'a report' },
    );
    await until(
      () => waitingForLocks(world.databaseUrl),
      (waiting) => waiting > 0,
    );
    // While the report waits for the user, this session locks the withdrawal. If the report had locked it, PostgreSQL would report a
    // deadlock (40P01).
    const locked = closing
      .query('select from withdraws where id = $1 and user_id = $2 for no key update', [id, payer.userId])
      .then(
        () => 'locked',
        (error: { code?: string }) => error.code,
      );
    expect(await locked).toBe('locked');
    await closing.query('commit');
    expect(await reported).toBe('applied');
  });
  await statusIs('failed');
});

async function inSession(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
