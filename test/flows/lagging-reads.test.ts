// The provider's reads lag behind its callbacks. The service reads a resource again until the read shows what the callback
// announced. It applies nothing from the callback itself.
import { afterEach, expect } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { makePollsDue } from '../support/outbox.ts';
import { must, type Person, pay, postJson, quote, reaches } from '../support/person.ts';
import { refundWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

type Payout = Awaited<ReturnType<typeof payoutsOf>>[number];

let lag: { heal: () => void } | undefined;

const db = (world: World) => world.service.app.db;

const test = useWorld({ deposit: '500.00' });
afterEach(() => lag?.heal());

test('a return that is announced before it can be read is applied as soon as it can be read', async ({
  world,
  proxy,
  ada,
}) => {
  const { id, payout } = await paid(world, ada, 20);
  lag = readsShow(proxy, payout);
  const isReadAgain = readAgain(proxy, payout, 2);
  await refund(world, payout);
  await isReadAgain;
  expect(await statusOf(ada, id)).toBe('completed');
  lag.heal();
  await reaches(ada, id, 'manual_review');
  expect(await callbacksOf(world, payout)).toContainEqual({ status: 'applied', outcome: null });
});

test('an announced final state with the same time as the readable state is read again until it shows', async ({
  world,
  proxy,
  ada,
}) => {
  const { id, payout } = await paid(world, ada, 21);
  await refundWithoutCallback(world, payout.uuid);
  lag = readsShow(proxy, payout);
  const isReadAgain = readAgain(proxy, payout, 2);
  await announce(world, { ...payout, status: 'REFUNDED' });
  await isReadAgain;
  expect(await statusOf(ada, id)).toBe('completed');
  lag.heal();
  await reaches(ada, id, 'manual_review');
});

test('an announcement that stays unreadable for a minute is left to polling, which continues until it can be read', async ({
  world,
  proxy,
  ada,
}) => {
  const { id, payout } = await paid(world, ada, 22);
  lag = readsShow(proxy, payout);
  await refund(world, payout);
  await passOverRetries(world);
  await until(
    () => callbacksOf(world, payout),
    (events) => events.some(({ outcome }) => /left to polling/.test(outcome ?? '')),
  );
  const isReadAgain = readAgain(proxy, payout, 1);
  await pollNow(world, payout);
  await isReadAgain;
  expect(await statusOf(ada, id)).toBe('completed');

  lag.heal();
  await pollNow(world, payout);
  await reaches(ada, id, 'manual_review');
  expect(await checkAtOf(world, payout)).toBeNull();
});

test('an announcement that never becomes readable is given up after the polls of an hour', async ({
  world,
  ada,
}) => {
  const { id, payout } = await paid(world, ada, 23);
  await announce(world, {
    ...payout,
    status: 'REFUNDED',
    updated_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await until(
    () => checkAtOf(world, payout),
    (at) => at !== null,
  );
  await byTable(db(world))
    .updateTable('provider_resources')
    .set({ poll_count: 4 })
    .where('provider_ref', '=', payout.uuid)
    .execute();
  await pollNow(world, payout);
  await until(
    () => checkAtOf(world, payout),
    (at) => at === null,
  );
  expect(await statusOf(ada, id)).toBe('completed');
  const open = await byTable(db(world))
    .selectFrom('discrepancies')
    .select('id')
    .where('subject_id', '=', id)
    .execute();
  expect(open).toEqual([]);
});

async function paid(world: World, ada: Person, amountBrl: number): Promise<{ id: string; payout: Payout }> {
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'completed');
  const [payout] = await payoutsOf(world, id);
  if (!payout) throw new Error('no payout');
  return { id, payout };
}

/** From now on, every read of the payout returns this former state, whatever the payout's real state is. */
const readsShow = (proxy: UpstreamProxy, past: Payout): { heal: () => void } =>
  proxy.rewrite(({ operation, text }, reply) =>
    operation === 'getPayout' && text.includes(past.uuid) ? { ...reply, body: past } : reply,
  );

const refund = (world: World, { uuid }: Payout) =>
  postJson(`${world.sandboxUrl}/sandbox/payouts/${uuid}/refund`, {});

async function announce(world: World, data: Payout): Promise<void> {
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  const body = JSON.stringify({ event: 'payout.updated', data, updated_at: data.updated_at });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
}

/** Resolves when the payout has been read this many more times. */
function readAgain(proxy: UpstreamProxy, { uuid }: Payout, times: number): Promise<unknown> {
  const before = proxy.count('getPayout', uuid);
  return until(
    async () => proxy.count('getPayout', uuid),
    (reads) => reads >= before + times,
  );
}

/** Skips the minute in which the waiting callback is retried. */
async function passOverRetries(world: World): Promise<void> {
  const [waiting] = await until(
    () =>
      byTable(db(world))
        .selectFrom('webhook_events')
        .select('id')
        .where('status', '=', 'received')
        .where('attempts', '=', 1)
        .execute(),
    (events) => events.length > 0,
  );
  await byTable(db(world))
    .updateTable('webhook_events')
    .set({ attempts: 5 })
    .where('id', '=', waiting?.id ?? '')
    .execute();
}

const pollNow = (world: World, { uuid }: Payout) => makePollsDue(world, 'provider_ref', uuid);

async function checkAtOf(world: World, { uuid }: Payout): Promise<Date | null> {
  const { next_poll_at } = await byTable(db(world))
    .selectFrom('provider_resources')
    .select('next_poll_at')
    .where('provider_ref', '=', uuid)
    .executeTakeFirstOrThrow();
  return next_poll_at;
}

const callbacksOf = (world: World, { uuid }: Payout) =>
  byTable(db(world))
    .selectFrom('webhook_events')
    .innerJoin('provider_resources', (join) => join.on('provider_resources.provider_ref', '=', uuid))
    .innerJoin('pix_payments', 'pix_payments.id', 'provider_resources.subject_id')
    .whereRef('webhook_events.transaction_id', '=', 'pix_payments.transaction_id')
    .select(['webhook_events.status', 'webhook_events.outcome'])
    .where('webhook_events.event_type', '=', 'payout.updated')
    .execute();

const statusOf = async (ada: Person, id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;
