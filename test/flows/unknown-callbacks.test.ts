// A caller who knows the path makes callbacks up. All are stored and answered with 200. They cost the provider one fetch a second, and
// delay no callback about our resources.
import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { byTable } from '../support/by-table.ts';
import { valueOf } from '../support/metrics.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { refundWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const { world, proxy, ada } = useWorld({ proxy: true, deposit: '100.00' });

const counted = (name: string) => valueOf(world.service.app.metrics.registry, name);
const fetches = () => proxy.count('getPayout', MADE_UP);
const sendAll = (some: Announced[]) => Promise.all(some.map(({ body }) => call(world, body)));

test('callbacks that name nothing of ours are counted once with their bytes, and those of a payment are not', async () => {
  await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
  const other = JSON.stringify({ event: 'card.frozen', card: randomUUID() });
  const payout = madeUp();
  for (const body of [other, payout.body, other, payout.body]) expect(await call(world, body)).toBe(200);
  expect(await storedBy(createHash('sha256').update(other).digest())).toMatchObject({
    status: 'ignored',
  });
  expect([
    await counted('ponte_unknown_callbacks_total{kind="unmapped"}'),
    await counted('ponte_unknown_callback_bytes_total{kind="unmapped"}'),
    await counted('ponte_unknown_callbacks_total{kind="unowned"}'),
    await counted('ponte_unknown_callback_bytes_total{kind="unowned"}'),
  ]).toEqual([1, other.length, 1, payout.body.length]);
});

test('a callback without our handle that came before the commit of its reference is applied without the shared fetch', async () => {
  const { app } = world.service;
  const { mayFetch } = app.unownedTurns;
  const id = await pay(ada, await quote(ada, 10));
  await reaches(ada, id, 'completed');
  const payoutNow = async () => {
    const [payout] = await payoutsOf(world, id);
    if (!payout) throw new Error('no payout');
    return payout;
  };
  const payout = await payoutNow();
  const setReference = (providerRef: string | null) =>
    byTable(app.db)
      .updateTable('provider_resources')
      .set({ provider_ref: providerRef })
      .where('handle', '=', payout.origin_id)
      .execute();

  // Other callbacks take every fetch.
  app.unownedTurns.mayFetch = takenByOthers;
  await setReference(null);
  await refundWithoutCallback(world, payout.uuid);
  const early = announcing(payout.uuid, 'REFUNDED', (await payoutNow()).updated_at);
  expect(await call(world, early.body)).toBe(200);
  const waiting = await until(
    () => storedBy(early.identity),
    ({ leased_by, lease_token }) => leased_by === null && lease_token > 0,
  );
  expect(waiting).toMatchObject({ status: 'received', attempts: 0, user_id: null });
  expect(
    await valueOf(await countBacklog(app.db, new Date()), 'ponte_waiting_unknown_callbacks'),
  ).toBeGreaterThan(0);

  await setReference(payout.uuid);
  await reaches(ada, id, 'manual_review');
  const applied = await until(
    () => storedBy(early.identity),
    ({ status }) => status !== 'received',
  );
  expect(applied).toMatchObject({ status: 'applied', attempts: 1 });
  app.unownedTurns.mayFetch = mayFetch;
});

test('300 callbacks about made-up payouts share one fetch a second, and the callbacks of a payment pass them', async () => {
  const [beganAt, before] = [performance.now(), fetches()];
  const flood = Array.from({ length: 300 }, madeUp);
  const answers = await sendAll(flood.slice(0, 150));
  const id = await pay(ada, await quote(ada, 10));
  answers.push(...(await sendAll(flood.slice(150))));
  expect(new Set(answers)).toEqual(new Set([200]));
  await reaches(ada, id, 'completed');
  const names = new Set(flood.map(({ identity }) => identity.toString('hex')));
  const stored = await until(
    async () => {
      const events = await byTable(world.service.app.db).selectFrom('webhook_events').selectAll().execute();
      return Object.groupBy(events, ({ identity }) =>
        names.has(Buffer.from(identity).toString('hex')) ? 'madeUp' : 'others',
      );
    },
    ({ madeUp: ours = [], others = [] }) =>
      ours.every(({ leased_by }) => leased_by === null) &&
      others.every(({ user_id, status }) => user_id === null || status !== 'received'),
  );

  const [waiting = [], ended = []] = [true, false].map((waits) =>
    stored.madeUp?.filter(({ status }) => (status === 'received') === waits),
  );
  const fetched = fetches() - before;
  // The first fetch waits for none.
  expect(fetched).toBeLessThanOrEqual(1 + (performance.now() - beganAt) / 1_000);
  expect(waiting.length + ended.length).toBe(300);
  // The payment did not wait for them. Each is fetched once, and a wait is not an attempt.
  expect(waiting.length).toBeGreaterThan(0);
  expect(ended.length).toBeLessThanOrEqual(fetched);
  expect(new Set(waiting.map(({ attempts }) => attempts))).toEqual(new Set([0]));
});

const takenByOthers = () => false;

/** The ids of made-up payouts begin with it. */
const MADE_UP = 'deadbeef-';

type Announced = { body: string; identity: Buffer };

const madeUp = (): Announced =>
  announcing(MADE_UP + randomUUID().slice(MADE_UP.length), 'COMPLETED', new Date().toISOString());

function announcing(uuid: string, status: 'COMPLETED' | 'REFUNDED', updated_at: string): Announced {
  return {
    body: JSON.stringify({ event: 'payout.updated', data: { uuid, status }, updated_at }),
    identity: createHash('sha256').update(`off-ramp.${status.toLowerCase()}:${uuid}:${updated_at}`).digest(),
  };
}

async function call({ url, webhookSecret }: World, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/webhooks/provider/${webhookSecret}`, { method: 'POST', headers, body })).status;
}

const storedBy = (identity: Buffer) =>
  byTable(world.service.app.db)
    .selectFrom('webhook_events')
    .selectAll()
    .where('identity', '=', identity)
    .executeTakeFirstOrThrow();
