// A balance has changed without a report. The movements of the account are scanned soon, and not only at night.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Movement } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { depositWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy } = useWorld({ proxy: true });

test('a deposit whose callback was lost is listed once its owner has seen the balance, with its own time', async () => {
  const ada = await verified(world, { deposit: '500.00' });
  await balanceOf(ada);
  await depositWithoutCallback(ada, '12.34');
  await isReadAgain(ada);
  expect(await balanceOf(ada)).toBe(51_234);
  const deposit = await listed(ada, 1_234);
  const { results } = await askUpstream<{ results: { amount: string; created_at: string }[] }>(
    world,
    `/accounts/${await accountRefOf(world, ada.userId, 'GBP')}/movements/?limit=1000`,
  );
  const movement = results.find(({ amount }) => amount === '12.34');
  expect(deposit).toMatchObject({ createdAt: movement?.created_at, completedAt: movement?.created_at });
});

test('a deposit whose callback was lost is listed although a payment has moved money since', async () => {
  const bob = await verified(world, { deposit: '500.00' });
  await balanceOf(bob);
  await depositWithoutCallback(bob, '99.99');
  await reaches(bob, await pay(bob, await quote(bob, 20)), 'completed');
  await balanceOf(bob);
  expect(await listed(bob, 9_999)).toMatchObject({ status: 'completed' });
});

test('a deposit whose callback was lost before the first balance was read is listed', async () => {
  const eve = await verified(world);
  await depositWithoutCallback(eve, '5.55');
  await byTable(world.service.app.db)
    .updateTable('users')
    .set({ balance_minor: null, balance_read_at: null })
    .where('id', '=', eve.userId)
    .execute();
  await balanceOf(eve);
  expect(await listed(eve, 555)).toMatchObject({ status: 'completed' });
});

test('a lost deposit is listed although the balance had counted the deposit before it when that one was reported', async () => {
  const mia = await verified(world, { deposit: '500.00' });
  await balanceOf(mia);
  await depositWithoutCallback(mia, '20.00');
  await isReadAgain(mia);
  expect(await balanceOf(mia)).toBe(52_000);
  await listed(mia, 2_000);
  await depositWithoutCallback(mia, '12.00');
  expect(await balanceOf(mia)).toBe(53_200);
  expect(await listed(mia, 1_200)).toMatchObject({ status: 'completed' });
});

test('deposits of any amount leave every request of their user possible', async () => {
  const lea = await verified(world, { deposit: '500.00' });
  const accountRef = await accountRefOf(world, lea.userId, 'GBP');
  for (const amountMinor of [Number.MAX_SAFE_INTEGER, 5_000_000_000_000_000]) {
    const movement: Movement = {
      kind: 'movement',
      providerRef: randomUUID(),
      accountRef,
      direction: 'credit',
      purpose: 'deposit',
      amountMinor,
      currency: 'GBP',
      sourceReference: null,
      createdAt: world.clock.now(),
    };
    expect(await applyReported(world.service.app, movement, { kind: 'job', id: 'large' })).toBe('applied');
  }
  await worksFor(lea);
});

test('a balance that an earlier version stored as too large is replaced, and every request of its user is possible', async () => {
  const pia = await verified(world, { deposit: '500.00' });
  await byTable(world.service.app.db)
    .updateTable('users')
    .set({ balance_minor: sql<number>`9007199254740993`, balance_read_at: null })
    .where('id', '=', pia.userId)
    .execute();
  expect(must(await pia.api.GET('/transactions'))).toHaveLength(1);
  await worksFor(pia);
});

/** Reads, changes, quotes and pays, which read the user's row in four ways. */
async function worksFor(person: Person): Promise<void> {
  expect((await quote(person, 20)).sufficientFunds).toBeNull();
  must(await person.api.PATCH('/me', { body: { displayName: 'Lea' } }));
  expect(await balanceOf(person)).toBe(50_000);
  const quoted = await quote(person, 20);
  expect(quoted.sufficientFunds).toBe(true);
  await reaches(person, await pay(person, quoted), 'completed');
}

test('a scan that the provider does not answer is repeated, and delays no request', async () => {
  const zoe = await verified(world, { deposit: '500.00' });
  await balanceOf(zoe);
  const ref = await accountRefOf(world, zoe.userId, 'GBP');
  const spoilt = proxy.spoil({
    operation: 'listMovements',
    spoilt: { status: 503 },
    forwarded: false,
    about: ref,
  });
  await depositWithoutCallback(zoe, '7.77');
  await isReadAgain(zoe);
  expect(await balanceOf(zoe)).toBe(50_777);
  await until(
    async () => spoilt.hits(),
    (hits) => hits === 1,
  );
  await byTable(world.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: sql<Date>`now()` })
    .where('provider_ref', '=', ref)
    .where('leased_by', 'is', null)
    .execute();
  await listed(zoe, 777);
});

test('a balance that has not changed causes no scan', async () => {
  const max = await verified(world, { deposit: '500.00' });
  await balanceOf(max);
  const ref = await accountRefOf(world, max.userId, 'GBP');
  const account = () =>
    byTable(world.service.app.db)
      .selectFrom('provider_resources')
      .select('next_poll_at')
      .where('provider_ref', '=', ref)
      .executeTakeFirstOrThrow();
  await until(account, ({ next_poll_at }) => next_poll_at === null);
  const before = proxy.count('listMovements', ref);
  await isReadAgain(max);
  await balanceOf(max);
  expect(await account()).toEqual({ next_poll_at: null });
  expect(proxy.count('listMovements', ref)).toBe(before);
});

/** Sets the time of the cached balance back, so that the balance is read again. */
const isReadAgain = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .updateTable('users')
    .set({ balance_read_at: new Date(world.clock.now().getTime() - 60_000) })
    .where('id', '=', userId)
    .where('balance_read_at', 'is not', null)
    .execute();

async function listed({ api }: Person, amount: number) {
  const find = async () =>
    must(await api.GET('/transactions')).find(
      ({ type, sourceAmount }) => type === 'deposit' && sourceAmount === amount,
    );
  return until(find, (found) => found !== undefined);
}
