// A request that was never answered, repeated and refused: nothing is failed while the first may still go through.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProviderRefusal, ProviderUnknown } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { balanceOf, must, type Person, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ada: Person;
beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '500.00' });
  must(
    await ada.api.POST('/bank-details', {
      body: {
        currency: 'GBP',
        accountHolderName: 'Ada Silva',
        accountNumber: '12345678',
        sortCode: '12-34-56',
      },
    }),
  );
});
afterAll(() => world.stop());

const effectOf = (withdrawId: string) =>
  world.service.app.db
    .selectFrom('effects')
    .select(['attempts', 'last_error'])
    .where('subject_id', '=', withdrawId)
    .executeTakeFirstOrThrow();

const statusOf = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })).status;

/** Lets half a minute pass for this effect. */
async function letTimePass(withdrawId: string): Promise<void> {
  const { db } = world.service.app;
  await db
    .updateTable('effects')
    .set({ unknown_at: sql<Date>`unknown_at - interval '30 seconds'` })
    .where('subject_id', '=', withdrawId)
    .execute();
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await sql`select graphile_worker.add_job('checkResource', json_build_object('handle', null))`.execute(db);
}

it('waits, and then believes the refusal', async () => {
  const { app } = world.service;
  const { provider } = app;
  let calls = 0;
  const createPayout: Provider['createPayout'] = async () => {
    calls += 1;
    if (calls === 1) throw new ProviderUnknown('createPayout', 'no usable answer');
    throw new ProviderRefusal('rejected', 'createPayout');
  };
  app.provider = { ...provider, createPayout };
  const { id } = must(await ada.api.POST('/withdraws', { body: { amount: 5_000 } }));
  const waiting = await until(
    () => effectOf(id),
    ({ attempts }) => attempts >= 2,
  );
  expect(waiting.last_error).toMatch(/may still go through/);
  expect(await statusOf(id)).toBe('settling');

  await letTimePass(id);
  await until(
    () => statusOf(id),
    (status) => status === 'failed',
  );
  expect(calls).toBe(3);
  expect(await balanceOf(ada)).toBe(50_000);
  app.provider = provider;
});

it('waits, and finds that the first request went through', async () => {
  const { app } = world.service;
  const { provider } = app;
  let calls = 0;
  const late: { send?: () => Promise<unknown> } = {};
  const createPayout: Provider['createPayout'] = async (payout) => {
    calls += 1;
    if (calls > 1) throw new ProviderRefusal('insufficient_funds', 'createPayout');
    late.send = () => provider.createPayout(payout);
    throw new ProviderUnknown('createPayout', 'no usable answer');
  };
  app.provider = { ...provider, createPayout };
  const { id } = must(await ada.api.POST('/withdraws', { body: { amount: 6_000 } }));
  await until(
    () => effectOf(id),
    ({ attempts }) => attempts >= 2,
  );
  await late.send?.();
  await letTimePass(id);
  await until(
    () => statusOf(id),
    (status) => status === 'completed',
  );
  expect(await balanceOf(ada)).toBe(44_000);
  app.provider = provider;
});
