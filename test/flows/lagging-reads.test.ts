// The provider's reads lag behind its callbacks. The service reads a resource again until the read shows what the callback
// announced. It applies nothing from the callback itself.
import { afterEach, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { makePollsDue } from '../support/outbox.ts';
import { must, pay, postJson, quote, reaches } from '../support/person.ts';
import { refundWithoutCallback } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

type Payout = Awaited<ReturnType<typeof payoutsOf>>[number];

let lag: { heal: () => void } | undefined;

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '500.00' });
afterEach(() => lag?.heal());

test('a return that is announced before it can be read is applied as soon as it can be read', async () => {
  const { id, payout } = await paid(20);
  lag = readsShow(payout);
  const isReadAgain = readAgain(payout, 2);
  await refund(payout);
  await isReadAgain;
  expect(await statusOf(id)).toBe('completed');
  lag.heal();
  await reaches(ada, id, 'manual_review');
  expect(await callbacksOf(id)).toContainEqual({ status: 'applied', outcome: null });
});

test('an announced final state with the same time as the readable state is read again until it shows', async () => {
  const { id, payout } = await paid(21);
  await refundWithoutCallback(world, payout.uuid);
  lag = readsShow(payout);
  const isReadAgain = readAgain(payout, 2);
  await announce({ ...payout, status: 'REFUNDED' });
  await isReadAgain;
  expect(await statusOf(id)).toBe('completed');
  lag.heal();
  await reaches(ada, id, 'manual_review');
});

test('an announcement that stays unreadable for a minute is left to polling, which continues until it can be read', async () => {
  const { id, payout } = await paid(22);
  lag = readsShow(payout);
  await refund(payout);
  await passOverRetries();
  await until(
    () => callbacksOf(id),
    (events) => events.some(({ outcome }) => /left to polling/.test(outcome ?? '')),
  );
  const isReadAgain = readAgain(payout, 1);
  await pollNow(payout);
  await isReadAgain;
  expect(await statusOf(id)).toBe('completed');

  lag.heal();
  await pollNow(payout);
  await reaches(ada, id, 'manual_review');
  expect(await checkAtOf(payout)).toBeNull();
});

test('an announcement that never becomes readable is given up after the polls of an hour', async () => {
  const { id, payout } = await paid(23);
  await announce({
    ...payout,
    status: 'REFUNDED',
    updated_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await until(
    () => checkAtOf(payout),
    (at) => at !== null,
  );
  await byTable(db())
    .updateTable('provider_resources')
    .set({ poll_count: 4 })
    .where('provider_ref', '=', payout.uuid)
    .execute();
  await pollNow(payout);
  await until(
    () => checkAtOf(payout),
    (at) => at === null,
  );
  expect(await statusOf(id)).toBe('completed');
  const open = await byTable(db())
    .selectFrom('discrepancies')
    .select('id')
    .where('subject_id', '=', id)
    .execute();
  expect(open).toEqual([]);
});

async function paid(amountBrl: number): Promise<{ id: string; payout: Payout }> {
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'completed');
  const [payout] = await payoutsOf(world, id);
  if (!payout) throw new Error('no payout');
  return { id, payout };
}

/** From now on, every read of the payout returns this former state, whatever the payout's real state is. */
const readsShow = (past: Payout): { heal: () => void } =>
  proxy.rewrite(({ operation, text }, reply) =>
    operation === 'getPayout' && text.includes(past.uuid) ? { ...reply, body: past } : reply,
  );

const refund = ({ uuid }: Payout) => postJson(`${world.sandboxUrl}/sandbox/payouts/${uuid}/refund`, {});

async function announce(data: Payout): Promise<void> {
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  const body = JSON.stringify({ event: 'payout.updated', data, updated_at: data.updated_at });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
}

/** Resolves when the payout has been read this many more times. */
function readAgain({ uuid }: Payout, times: number): Promise<unknown> {
  const before = proxy.count('getPayout', uuid);
  return until(
    async () => proxy.count('getPayout', uuid),
    (reads) => reads >= before + times,
  );
}

/** Skips the minute in which the waiting callback is retried. */
async function passOverRetries(): Promise<void> {
  const [waiting] = await until(
    () =>
      byTable(db())
        .selectFrom('webhook_events')
        .select('id')
        .where('status', '=', 'received')
        .where('attempts', '=', 1)
        .execute(),
    (events) => events.length > 0,
  );
  await byTable(db())
    .updateTable('webhook_events')
    .set({ attempts: 5 })
    .where('id', '=', waiting?.id ?? '')
    .execute();
}

const pollNow = ({ uuid }: Payout) => makePollsDue(world, 'provider_ref', uuid);

async function checkAtOf({ uuid }: Payout): Promise<Date | null> {
  const { next_poll_at } = await byTable(db())
    .selectFrom('provider_resources')
    .select('next_poll_at')
    .where('provider_ref', '=', uuid)
    .executeTakeFirstOrThrow();
  return next_poll_at;
}

const paymentOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
const statusOf = async (id: string) => (await paymentOf(id)).status;
const callbacksOf = async (id: string) =>
  byTable(db())
    .selectFrom('webhook_events')
    .select(['status', 'outcome'])
    .where('transaction_id', '=', (await paymentOf(id)).transactionId)
    .where('event_type', '=', 'payout.updated')
    .execute();
