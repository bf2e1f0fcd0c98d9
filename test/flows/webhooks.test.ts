// Callbacks arrive forged, repeated, late, early, out of order or wrong. None is trusted: each is stored once and makes the
// service fetch the resource.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { byTable } from '../support/by-table.ts';
import {
  must,
  type Person,
  pay,
  postJson,
  quote,
  reaches,
  receiveDeposit,
  verified,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const { world, proxy, ada, db } = useWorld({
  proxy: true,
  env: { PROVIDER_TIMEOUT_MS: '2000' },
  deposit: '1000.00',
});

test('a callback under a wrong secret is answered like a wrong path', async () => {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'the-same' };
  const to = (path: string) => fetch(`${world.url}${path}`, { method: 'POST', headers, body: '{}' });
  const longSecret = `${world.webhookSecret}x`;
  const nowhere = await to('/nowhere');
  const body = await nowhere.text();
  for (const secret of ['wrong', longSecret, world.webhookSecret.slice(1), '%00', encodeURIComponent('ü')]) {
    const answer = await to(`/webhooks/provider/${secret}`);
    expect([answer.status, await answer.text()]).toEqual([404, body]);
  }
  expect(nowhere.status).toBe(404);
});

test.for<[string, string | Buffer<ArrayBuffer>, string]>([
  ['half a JSON text', '{"event":', 'application/json'],
  ['no JSON', 'event=payout', 'application/json'],
  [
    'bytes that are not text',
    Buffer.from([...Buffer.from('{"event":"'), 0xff, ...Buffer.from('"}')]),
    'application/json',
  ],
  ['a list', '[]', 'application/json'],
  ['an empty body', '', 'application/json'],
])('a callback with %s is refused with 400', async ([_what, body, type]) => {
  const answer = await fetch(addressOf(world), { method: 'POST', headers: { 'content-type': type }, body });
  expect(answer.status).toBe(400);
});

test('a callback is stored encrypted under the hash of its kind, reference and time', async () => {
  const [uuid, updatedAt, marker] = [randomUUID(), '2026-03-02T12:00:31.512Z', `Joana ${randomUUID()}`];
  const data = { uuid, status: 'COMPLETED', recipient_name: marker };
  const body = JSON.stringify({ event: 'payout.updated', data, updated_at: updatedAt });
  expect(await call(body)).toBe(200);

  const event = await stored(identityOf(`off-ramp.completed:${uuid}:${updatedAt}`));
  expect(event).toMatchObject({ provider: 'sandbox', event_type: 'payout.updated' });
  // The payload moves to the table of its day when the callback is processed, which may be immediately.
  const { rows: kept } = await sql<{ row: string; sealed: Buffer }>`
    select event::text as row, payload_sealed as sealed from webhook_events as event where id = ${event.id}
    union all
    select payload::text, payload_sealed from webhook_payloads as payload where event_id = ${event.id}
  `.execute(db());
  expect(kept.filter(({ row, sealed }) => row.includes(marker) || sealed.includes(marker))).toEqual([]);
  const context = encryptionContexts.webhookPayload(event.id, event.received_at);
  const [payload = Buffer.alloc(0), ...others] = kept.flatMap(({ sealed }) =>
    sealed.length > 0 ? [sealed] : [],
  );
  expect(others).toEqual([]);
  expect((await world.service.app.sealer.openBytes(context, payload)).toString()).toBe(body);
});

test.for([
  ['internal_transfer.updated', 'COMPLETED', 'internal-transfer.completed'],
  ['internal_transfer.updated', 'FAILED', 'internal-transfer.failed'],
  ['payout.updated', 'FAILED', 'off-ramp.failed'],
  ['payout.updated', 'ERROR', 'off-ramp.failed'],
  ['payout.updated', 'PENDING', 'payout.updated'],
  ['movement.created', undefined, 'deposit.received'],
  ['account.status_updated', 'ACTIVE', 'account.status_updated'],
  ['card.frozen', undefined, 'card.frozen'],
])('the callback %s with status %s is stored as the event %s', async ([event, status, kind]) => {
  const [uuid, updated_at] = [randomUUID(), new Date().toISOString()];
  const data = { uuid, status, account_uuid: randomUUID() };
  expect(await call(JSON.stringify({ event, data, updated_at }))).toBe(200);
  expect((await stored(identityOf(`${kind}:${uuid}:${updated_at}`))).event_type).toBe(event);
});

test('ten concurrent copies of a callback, and one later, are one event', async () => {
  const movement = await depositUpstream('11.00');
  const body = announcement(movement);
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(body)));
  expect(answers).toEqual(Array.from({ length: 10 }, () => 200));
  const id = identityOf(`deposit.received:${movement.uuid}:${movement.created_at}`);
  await until(
    () => stored(id),
    ({ processed_at }) => processed_at !== null,
  );
  expect(await call(body)).toBe(200);
  const event = await stored(id);
  expect(event.attempts).toBe(1);
  const [deposit] = await depositsOf(ada);
  expect(event.transaction_id).toBe(deposit?.id);
  const { rows } = await sql`select 1 from webhook_events where identity = ${id}`.execute(db());
  expect(rows).toHaveLength(1);
});

test('a callback without a known event is stored and ignored', async () => {
  const body = JSON.stringify({ event: 'card.\u0000frozen', card: randomUUID() });
  expect(await call(body)).toBe(200);
  const event = await until(
    () => stored(identityOf(body)),
    ({ status }) => status !== 'received',
  );
  expect(event).toMatchObject({ status: 'ignored', event_type: 'card.frozen' });
});

test('a callback under our handle that the provider cannot find is retried a few times, and then unmatched', async () => {
  const { handle: origin_id } = await byTable(db())
    .selectFrom('provider_resources')
    .select('handle')
    .where('user_id', '=', ada.userId)
    .limit(1)
    .executeTakeFirstOrThrow();
  const [uuid, updated_at] = [randomUUID(), new Date().toISOString()];
  const data = { uuid, origin_id, status: 'COMPLETED' };
  await call(JSON.stringify({ event: 'payout.updated', data, updated_at }));
  const id = identityOf(`off-ramp.completed:${uuid}:${updated_at}`);
  const tried = await until(
    () => stored(id),
    ({ attempts }) => attempts === 1,
  );
  expect(tried.status).toBe('received');
  // The attempts in between take a minute, which the test skips.
  await byTable(db()).updateTable('webhook_events').set({ attempts: 5 }).where('id', '=', tried.id).execute();
  const unmatched = await until(
    () => stored(id),
    ({ status }) => status !== 'received',
  );
  expect(unmatched).toMatchObject({ status: 'unmatched', attempts: 6 });
});

test('a callback that overtakes the creation of its account is applied as soon as the account is known', async () => {
  const bea = await verified(world);
  const account = await accountRefOf(world, bea.userId, 'GBP');
  const setAccount = (ref: string | null) =>
    byTable(db())
      .updateTable('provider_accounts')
      .set({ provider_account_id: ref })
      .where('user_id', '=', bea.userId)
      .where('currency', '=', 'GBP')
      .execute();
  const { deposit } = must(await bea.api.GET('/me'));
  await setAccount(null);
  await sendMoney(world, deposit ?? {}, '5.00');
  await until(
    () => byTable(db()).selectFrom('webhook_events').selectAll().where('status', '=', 'received').execute(),
    (events) => events.some(({ attempts }) => attempts === 1),
  );
  expect(must(await bea.api.GET('/transactions'))).toEqual([]);
  await setAccount(account);
  await until(
    async () => must(await bea.api.GET('/transactions')),
    (transactions) => transactions.length === 1,
  );
});

test('a callback that overtakes the reply it belongs to is applied by its handle', async () => {
  const about = await accountRefOf(world, ada.userId, 'BRL');
  const hanging = proxy.spoil({ operation: 'createPayout', spoilt: 'hang', forwarded: true, about });
  const id = await pay(ada, await quote(ada, 12));
  await reaches(ada, id, 'completed');
  expect(hanging.hits()).toBe(1);
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('an older snapshot is stale, an equal one is a duplicate, and a newer one cannot undo a final state', async () => {
  const id = await pay(ada, await quote(ada, 13));
  await reaches(ada, id, 'completed');
  const { provider, ...app } = world.service.app;
  const paid = await provider.findPayout(handleFor(id, 'payout'));
  if (!paid) throw new Error('no payout');
  const later = (ms: number) => new Date(paid.updatedAt.getTime() + ms);
  const cause = { kind: 'job', id: 'out-of-order' } as const;
  const seen = (snapshot: Partial<typeof paid>) => applyReported(app, { ...paid, ...snapshot }, cause);

  expect(await seen({})).toBe('nothing_new');
  expect(await seen({ status: 'pending' })).toBe('stale');
  expect(await seen({ updatedAt: later(-1) })).toBe('stale');
  expect(await seen({ status: 'pending', updatedAt: later(-1) })).toBe('stale');
  expect(await isPolled(paid.handle)).toBe(false);
  expect(await seen({ status: 'failed', updatedAt: later(1) })).toBe('refused');
  expect(await seen({ handle: randomUUID(), updatedAt: later(2) })).toBe('unmatched');
  const { status } = must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
  expect(status).toBe('completed');
  // The report is final and not applied, so the payout is polled until an operator has resolved the discrepancy.
  expect(await isPolled(paid.handle)).toBe(true);
  const resolved = { resolved_at: new Date(), resolution: 'their report was about another one' };
  await byTable(db()).updateTable('discrepancies').set(resolved).where('subject_id', '=', id).execute();
  expect(await seen({ status: 'failed', updatedAt: later(1) })).toBe('refused');
  expect(await isPolled(paid.handle)).toBe(false);
});

test('a snapshot that was not applied yet is recorded if its time is earlier', async () => {
  const id = await pay(ada, await quote(ada, 13));
  await reaches(ada, id, 'completed');
  const { provider, ...app } = world.service.app;
  const paid = await provider.findPayout(handleFor(id, 'payout'));
  if (!paid) throw new Error('no payout');
  const returned = {
    ...paid,
    status: 'refunded',
    updatedAt: new Date(paid.updatedAt.getTime() - 1),
  } as const;
  for (let turn = 0; turn < 2; turn += 1)
    expect(await applyReported(app, returned, { kind: 'job', id: 'stepped-back' })).toBe('refused');
  const recorded = await byTable(db())
    .selectFrom('discrepancies')
    .select(['kind', 'event', 'state'])
    .where('subject_id', '=', id)
    .execute();
  expect(recorded).toEqual([{ kind: 'clock_stepped_back', event: 'off-ramp.refunded', state: 'completed' }]);
  expect(await isPolled(paid.handle)).toBe(true);
});

test('ten concurrent snapshots of one change are applied once', async () => {
  const id = await pay(ada, await quote(ada, 14), { pixKey: 'slow@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'paying');
  const { provider, ...app } = world.service.app;
  const pending = await until(
    () => provider.findPayout(handleFor(id, 'payout')),
    (found) => found !== null,
  );
  if (!pending) throw new Error('no payout');
  const done = {
    ...pending,
    status: 'completed',
    updatedAt: new Date(pending.updatedAt.getTime() + 5),
  } as const;
  const seen = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => applyReported(app, done, { kind: 'job', id: `turn-${turn}` })),
  );
  expect(seen.filter((result) => result === 'applied')).toHaveLength(1);
  expect(seen.filter((result) => result === 'nothing_new')).toHaveLength(9);
});

test('ten concurrent announcements of one deposit, each a little different, are one deposit', async () => {
  const before = (await depositsOf(ada)).length;
  const movement = await depositUpstream('21.00');
  const variants = Array.from({ length: 10 }, (_, turn) =>
    announcement(movement, new Date(Date.now() + turn).toISOString()),
  );
  await Promise.all(variants.map((body) => call(body)));
  await allProcessed();
  const deposits = await depositsOf(ada);
  expect(deposits).toHaveLength(before + 1);
  expect(deposits[0]).toMatchObject({ sourceAmount: 2_100, status: 'completed', sourceCurrency: 'GBP' });
});

test('money that comes back from a failed conversion is not a deposit', async () => {
  const before = (await depositsOf(ada)).length;
  await reaches(ada, await pay(ada, await quote(ada, 6.66)), 'failed');
  await allProcessed();
  const { results } = await askUpstream<{ results: { kind: string; direction: string }[] }>(
    world,
    `/accounts/${await accountRefOf(world, ada.userId, 'GBP')}/movements/?limit=1000`,
  );
  expect(results.at(-1)).toMatchObject({ kind: 'INTERNAL_TRANSFER', direction: 'CREDIT' });
  expect(await depositsOf(ada)).toHaveLength(before);
});

test('the amount of a deposit is the provider’s, not the callback’s', async () => {
  const movement = await depositUpstream('31.00');
  await call(announcement({ ...movement, amount: '999999.00' }, new Date(1).toISOString()));
  await allProcessed();
  expect((await depositsOf(ada))[0]?.sourceAmount).toBe(3_100);
});

test('a false callback changes nothing: the service fetches the resource', async () => {
  const id = await pay(ada, await quote(ada, 15), { pixKey: 'slow@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'paying');
  const [payout] = await until(
    () => payoutsOf(world, id),
    (found) => found.length === 1,
  );
  if (!payout) throw new Error('no payout');
  for (const status of ['COMPLETED', 'FAILED', 'REFUNDED']) {
    const updated_at = new Date(Date.now() + 60_000).toISOString();
    await call(JSON.stringify({ event: 'payout.updated', data: { ...payout, status }, updated_at }));
  }
  await allProcessed();
  const payment = must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
  expect(payment.status).toBe('paying');
  // The true state is still applied when the provider reports it.
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout.uuid}/refund`, {});
  await reaches(ada, id, 'manual_review');
});

type Movement = { uuid: string; account_uuid: string; amount: string; created_at: string };

async function isPolled(handle: string): Promise<boolean> {
  const { next_poll_at } = await byTable(db())
    .selectFrom('provider_resources')
    .select('next_poll_at')
    .where('handle', '=', handle)
    .executeTakeFirstOrThrow();
  return next_poll_at !== null;
}

const addressOf = ({ url, webhookSecret }: World) => `${url}/webhooks/provider/${webhookSecret}`;
const identityOf = (change: string) => createHash('sha256').update(change).digest();

async function call(body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(addressOf(world), { method: 'POST', headers, body })).status;
}

const stored = (id: Buffer) =>
  byTable(db()).selectFrom('webhook_events').selectAll().where('identity', '=', id).executeTakeFirstOrThrow();

const allProcessed = () =>
  until(
    () =>
      byTable(db())
        .selectFrom('webhook_events')
        .select('id')
        .where('status', '=', 'received')
        .where('attempts', '=', 0)
        .execute(),
    (waiting) => waiting.length === 0,
  );

async function depositUpstream(amount: string): Promise<Movement> {
  await receiveDeposit(ada, amount);
  const { results } = await askUpstream<{ results: Movement[] }>(
    world,
    `/accounts/${await accountRefOf(world, ada.userId, 'GBP')}/movements/?limit=1000`,
  );
  const movement = results.at(-1);
  if (!movement) throw new Error('no movement');
  return movement;
}

const announcement = (movement: Movement, updated_at = movement.created_at): string =>
  JSON.stringify({ event: 'movement.created', data: movement, updated_at });

const depositsOf = async ({ api }: Person) =>
  must(await api.GET('/transactions', { params: { query: { limit: 1000 } } })).filter(
    ({ type }) => type === 'deposit',
  );
