// A balance has changed without a report. The movements of the account are scanned soon, and not only at night.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { depositWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const test = useWorld();

test('a deposit whose callback was lost is listed once its owner has seen the balance, with its own time', async ({
  world,
}) => {
  const ada = await verified(world, { deposit: '500.00' });
  await balanceOf(ada);
  await depositWithoutCallback(ada, '12.34');
  await isReadAgain(world, ada);
  expect(await balanceOf(ada)).toBe(51_234);
  const deposit = await listed(ada, 1_234);
  const { results } = await askUpstream<{ results: { amount: string; created_at: string }[] }>(
    world,
    `/accounts/${await accountRefOf(world, ada.userId, 'GBP')}/movements/?limit=1000`,
  );
  const movement = results.find(({ amount }) => amount === '12.34');
  expect(deposit).toMatchObject({ createdAt: movement?.created_at, completedAt: movement?.created_at });
});

test('a deposit whose callback was lost is listed although a payment has moved money since', async ({
  world,
}) => {
  const bob = await verified(world, { deposit: '500.00' });
  await balanceOf(bob);
  await depositWithoutCallback(bob, '99.99');
  await reaches(bob, await pay(bob, await quote(bob, 20)), 'completed');
  await balanceOf(bob);
  expect(await listed(bob, 9_999)).toMatchObject({ status: 'completed' });
});

test('a deposit whose callback was lost before the first balance was read is listed', async ({ world }) => {
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

test('a scan that the provider does not answer is repeated, and delays no request', async ({
  world,
  proxy,
}) => {
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
  await isReadAgain(world, zoe);
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

test('a balance that has not changed causes no scan', async ({ world, proxy }) => {
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
  await isReadAgain(world, max);
  await balanceOf(max);
  expect(await account()).toEqual({ next_poll_at: null });
  expect(proxy.count('listMovements', ref)).toBe(before);
});

/** Sets the time of the cached balance back, so that the balance is read again. */
const isReadAgain = (world: World, { userId }: Person) =>
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
