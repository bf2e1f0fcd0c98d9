// Drills of incidents with the database and with releases. They show that what the runbook says about them is true.
import { afterAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { byTable } from '../support/by-table.ts';
import { workIn } from '../support/outbox.ts';
import { must, pay, quote, reaches, refusalIn } from '../support/person.ts';
import { killProcesses, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { ops, opsAside, opsHere } from './support.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '1000.00' });
afterAll(async () => {
  await killProcesses();
});

/** Runs statements on a direct connection, which the trouble of the service does not affect. */
async function asAdmin(...statements: string[]): Promise<void> {
  const admin = createPool(world.databaseUrl, 1);
  for (const statement of statements) await admin.query(statement);
  await admin.end();
}

/** Makes a payment whose conversion answers after a second and a half, so that it is in progress during the incident. */
async function slowPayment(brl: number): Promise<string> {
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const slow = proxy.spoil({ operation: 'createInternalTransfer', spoilt: 'late', forwarded: true, about });
  const id = await pay(ada, await quote(ada, brl));
  await until(
    async () => slow.hits(),
    (hits) => hits === 1,
  );
  return id;
}

async function expectPaidOnce(id: string): Promise<void> {
  await until(
    () => reaches(ada, id, 'completed').catch(() => null),
    (payment) => payment?.status === 'completed',
  );
  expect(await transfersOf(world, id)).toHaveLength(1);
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 1 }]);
}

test('while the database takes no writes, as after a failover, requests get 503, and the service continues by itself afterwards', async () => {
  const quoted = await quote(ada, 30);
  const under = await slowPayment(31);
  const name = new URL(world.databaseUrl).pathname.slice(1);
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`, cut);
  const body = { quoteId: quoted.quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  const refused = await until(
    () => ada.api.POST('/pix/payments', { body }),
    ({ response }) => response.status >= 400,
  );
  expect(refusalIn(refused)).toEqual([503, 'unavailable']);
  // The first connection that is used may be one that was cut.
  const read = await until(
    () => ada.api.GET('/transactions'),
    ({ response }) => response.status === 200,
  );
  expect(read.response.status).toBe(200);
  expect(await opsAside(world, 'effects', 'pause', 'startPayout', '--reason', 'x')).toMatchObject({
    code: 1,
    err: expect.stringContaining('takes no writes'),
  });

  await asAdmin(
    'set default_transaction_read_only = off',
    `alter database ${name} reset default_transaction_read_only`,
    cut,
  );
  const { pixPaymentId } = await until(
    async () => (await ada.api.POST('/pix/payments', { body })).data,
    (accepted) => accepted !== undefined,
  ).then((accepted) => accepted ?? { pixPaymentId: '' });
  await expectPaidOnce(pixPaymentId);
  await expectPaidOnce(under);
});

test('while the disk of the database is full, requests get 503 and nothing is half done, and the service continues by itself when there is space', async () => {
  const quoted = await quote(ada, 32);
  const under = await slowPayment(33);
  await asAdmin(
    `create function full_disk() returns trigger language plpgsql as $$
         begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`,
    'create trigger full_disk before insert on transitions execute function full_disk()',
  );
  const body = { quoteId: quoted.quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  const before = must(await ada.api.GET('/transactions')).length;
  expect(refusalIn(await ada.api.POST('/pix/payments', { body }))).toEqual([503, 'unavailable']);
  expect(must(await ada.api.GET('/transactions'))).toHaveLength(before);
  await until(
    async () => (await effectOf(under)).attempts,
    (attempts) => attempts > 0,
  );
  await asAdmin('drop function full_disk cascade');
  const { pixPaymentId } = must(await ada.api.POST('/pix/payments', { body }));
  await expectPaidOnce(pixPaymentId);
  await expectPaidOnce(under);
});

test('after a rollback the older version runs on the newer schema', async () => {
  await asAdmin(
    `insert into schema_migrations (name, executed_at) values ('Migration29991231235959', now())`,
    'alter table pix_payments add column from_the_future text',
  );
  const older = await startReadyProcess({ ...world.env, ROLE: 'worker' });
  await expectPaidOnce(await pay(ada, await quote(ada, 34)));
  older.child.kill('SIGTERM');
  expect(await older.exited).toMatchObject({ code: 0 });
  await asAdmin(
    `delete from schema_migrations where name = 'Migration29991231235959'`,
    'alter table pix_payments drop column from_the_future',
  );
});

const types = Object.keys(effectHandlers);
const each = (verb: 'pause' | 'resume') =>
  Promise.all(
    types.map((type) => opsHere(world.service.app, ['effects', verb, type, '--reason', 'stop it all'])),
  );

test('while every effect type is paused, accepted payments wait and nothing is sent, and all complete after the resume', async () => {
  expect((await each('pause')).map(({ code }) => code)).toEqual(types.map(() => 0));
  const { out } = await ops(world, 'status');
  for (const type of types) expect(out).toMatch(new RegExp(`^ {2}${type}, .*by olga: stop it all`, 'm'));
  // `effects pause` has answered, so every worker has read the pause.
  const id = await pay(ada, await quote(ada, 35));
  await until(
    () => workIn(world),
    (rows) => rows.some(({ kind, leasedBy }) => kind === 'effect' && leasedBy === null),
  );
  expect(await transfersOf(world, id)).toEqual([]);
  expect(must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status).toBe(
    'converting',
  );
  await each('resume');
  await expectPaidOnce(id);
});

const effectOf = (paymentId: string) =>
  byTable(db())
    .selectFrom('effects')
    .select(['attempts'])
    .where('subject_id', '=', paymentId)
    .where('type', '=', 'startConversion')
    .executeTakeFirstOrThrow();
