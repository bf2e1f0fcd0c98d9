// The provider no longer knows an object that it has named to us. The service looks it up by its handle, shows it to operators,
// continues to poll it, and never creates it again.
import { afterEach, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { CAME_BACK } from '../../src/reports/vanished.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { makePollsDue } from '../support/outbox.ts';
import { must, pay, postJson, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

type Lost = { uuid: string; handle: string };

let lost: { heal: () => void } | undefined;

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '500.00' });
afterEach(() => lost?.heal());

test('a vanished object is one discrepancy, is still polled, and is resolved when it comes back', async () => {
  const { id, payout } = await payment('slow', 'paying');
  lost = vanish(payout);
  const lookedUp = proxy.count('findPayouts', payout.handle);
  await pollNow(payout);
  const [vanished] = await until(
    () => openOf(id),
    (open) => open.length > 0,
  );
  expect(vanished).toMatchObject({ kind: 'vanished', provider_ref: payout.uuid, state: 'paying' });
  expect(proxy.count('findPayouts', payout.handle)).toBe(lookedUp + 1);
  await polledAgain(payout);
  expect(await openOf(id)).toHaveLength(1);

  lost.heal();
  await pollNow(payout);
  await until(
    () => openOf(id),
    (open) => open.length === 0,
  );
  const resolved = byTable(db())
    .selectFrom('discrepancies')
    .select('resolution')
    .where('subject_id', '=', id);
  expect(await resolved.execute()).toEqual([{ resolution: CAME_BACK }]);

  lost = vanish(payout);
  await pollNow(payout);
  await until(
    () => openOf(id),
    (open) => open.length === 1,
  );
});

test('a reconciliation does not create a vanished object again', async () => {
  const { id, payout } = await payment('slow', 'paying');
  lost = vanish(payout);
  const { counts, failures } = await reconcile(world.service.app);
  expect(counts['effects ordered again']).toBeUndefined();
  expect(counts['objects vanished']).toBe(1);
  expect(failures).toEqual([]);
  expect(await openOf(id)).toMatchObject([{ kind: 'vanished' }]);
  expect(proxy.count('createPayout', payout.handle)).toBe(1);
});

test('a retry does not create a vanished payout again, and continues when the payout is back', async () => {
  const { id, payout } = await payment('recover', 'payout_failed');
  lost = vanish(payout);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await until(
    () => openOf(id),
    (open) => open.length > 0,
  );
  await reaches(ada, id, 'paying');
  expect(proxy.count('reissuePayout', payout.uuid)).toBe(0);
  lost.heal();
  await reaches(ada, id, 'completed');
  expect(proxy.count('createPayout', payout.handle)).toBe(1);
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 2 }]);
  expect(await openOf(id)).toEqual([]);
});

test('a payment whose payout has vanished ends as an operator decides', async () => {
  const { id, payout } = await payment('slow', 'paying');
  lost = vanish(payout);
  await pollNow(payout);
  const [vanished] = await until(
    () => openOf(id),
    (open) => open.length > 0,
  );
  const why = ['--reason', 'they have deleted it, and the money is back'];
  const end = ['discrepancies', 'end', vanished?.id ?? '', '--as', 'manual_review', ...why];
  expect(await opsHere(world.service.app, end)).toMatchObject({ code: 0, err: '' });
  await reaches(ada, id, 'manual_review');
  expect(await openOf(id)).toEqual([]);
  // A row that an operator has ended is no longer awaited, and no longer reported.
  await polledAgain(payout);
  expect(await openOf(id)).toEqual([]);
});

test('an object that is found under its handle is not a discrepancy', async () => {
  const { id, payout } = await payment('slow', 'paying');
  lost = vanish(payout, { isUnderItsHandle: true });
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout.uuid}/refund`, {});
  await pollNow(payout);
  await reaches(ada, id, 'manual_review');
  expect(await openOf(id)).toEqual([]);
});

test('an object that only its uuid shows is not a discrepancy, and its lost answer is recovered', async () => {
  proxy.spoil({ operation: 'createPayout', spoilt: 'drop', forwarded: true });
  lost = proxy.rewrite(({ operation }, reply) =>
    operation === 'findPayouts' ? { ...reply, body: { ...(reply.body as object), results: [] } } : reply,
  );
  const id = await pay(ada, await quote(ada, 10), { pixKey: 'slow@pix.example', pixKeyType: 'email' });
  const [payout] = await until(
    () => payoutsOf(world, id),
    (payouts) => payouts.length === 1,
  );
  await report(payout?.uuid ?? '', 'PENDING');
  await until(
    () => payoutEffectOf(id),
    ({ status }) => status === 'done',
  );
  expect(proxy.count('createPayout', handleFor(id, 'payout'))).toBe(1);
  const all = byTable(db()).selectFrom('discrepancies').select('kind').where('subject_id', '=', id);
  expect(await all.execute()).toEqual([]);
});

test('a vanished object that a callback names is looked up although its row is final', async () => {
  const { id, payout } = await payment('joana', 'completed');
  lost = vanish(payout);
  await report(payout.uuid, 'REFUNDED');
  await pollNow(payout);
  const open = await until(
    () => openOf(id),
    (rows) => rows.length > 0,
  );
  expect(open).toMatchObject([{ kind: 'vanished' }]);
  await reaches(ada, id, 'completed');
});

async function payment(
  key: string,
  status: 'paying' | 'payout_failed' | 'completed',
): Promise<{ id: string; payout: Lost }> {
  const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 10), to);
  await reaches(ada, id, status);
  const handle = handleFor(id, 'payout');
  const resource = await until(
    () =>
      byTable(db())
        .selectFrom('provider_resources')
        .select('provider_ref')
        .where('handle', '=', handle)
        .executeTakeFirst(),
    (row) => typeof row?.provider_ref === 'string',
  );
  return { id, payout: { uuid: resource?.provider_ref ?? '', handle } };
}

/**
 * From now on, the provider does not know the payout by its uuid. It knows it by its handle only if `isUnderItsHandle` is true.
 */
const vanish = ({ uuid, handle }: Lost, { isUnderItsHandle = false } = {}): { heal: () => void } =>
  proxy.rewrite(({ operation, text }, reply) => {
    if (operation === 'getPayout' && text.includes(uuid))
      return { status: 404, body: { code: 'not_found', detail: 'no such payout' } };
    if (operation !== 'findPayouts' || isUnderItsHandle) return reply;
    const { results, ...page } = reply.body as { results: { origin_id: string }[] };
    return { ...reply, body: { ...page, results: results.filter(({ origin_id }) => origin_id !== handle) } };
  });

/** Sends a callback that names the payout. */
async function report(uuid: string, status: string): Promise<void> {
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  const updated_at = new Date(Date.now() + 1).toISOString();
  const body = JSON.stringify({ event: 'payout.updated', data: { uuid, status, updated_at }, updated_at });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
}

const payoutEffectOf = (id: string) =>
  byTable(db())
    .selectFrom('effects')
    .select('status')
    .where('subject_id', '=', id)
    .where('type', '=', 'startPayout')
    .executeTakeFirstOrThrow();

/** Waits until the payout awaits a poll, and makes that poll due. */
async function pollNow({ handle }: Lost): Promise<void> {
  await until(
    () => makePollsDue(world, 'handle', handle),
    (count) => count === 1,
  );
}

async function polledAgain(payout: Lost): Promise<void> {
  const before = proxy.count('findPayouts', payout.handle);
  await pollNow(payout);
  await until(
    async () => proxy.count('findPayouts', payout.handle),
    (looks) => looks > before,
  );
}

const openOf = (id: string) =>
  byTable(db())
    .selectFrom('discrepancies')
    .selectAll()
    .where('subject_id', '=', id)
    .where('resolved_at', 'is', null)
    .execute();
