// Callbacks that a tester loses, delays and sends again, and the list of callbacks.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activeAccount, type Listener, listen, type Schemas, until, verifiedOwner } from './support.ts';
import { useUpstream } from './use-upstream.ts';

interface Logged {
  id: number;
  event: string;
  uuid: string;
  state: string;
  due_at: string | null;
  attempts: { status: number | null }[];
  body: Schemas['Callback'];
}

const PATIENCE_MS = 30_000;

const { upstream } = useUpstream();
let listener: Listener;
let account: Schemas['Account'];
beforeEach(async () => {
  listener = await listen();
  account = await activeAccount(upstream, await verifiedOwner(upstream), 'GBP', listener.url);
  await told(1);
});
afterEach(() => listener.close());

const told = (count: number) =>
  until(
    () => listener.received,
    (received) => received.length >= count,
    PATIENCE_MS,
  );
const payIn = (amount: string, more: object = {}) =>
  upstream.post<{ movement_uuid: string }>('/sandbox/deposits', {
    accountUuid: account.uuid,
    amount,
    ...more,
  });
const listed = async () =>
  (await upstream.get<{ results: Logged[] }>(`/sandbox/callbacks?about=${account.uuid}`)).body.results;
const newest = async () => (await listed())[0] as Logged;
const becomes = (state: string) => until(newest, (callback) => callback.state === state, PATIENCE_MS);
const change = (id: number, action: string, body: object = {}) =>
  upstream.post<Logged & { detail?: string }>(`/sandbox/callbacks/${id}/${action}`, body);

test('the list of callbacks shows the body and the answer of a callback', async () => {
  const { body } = await payIn('5.00');
  expect(await becomes('delivered')).toMatchObject({
    event: 'movement.created',
    uuid: account.uuid,
    due_at: null,
    attempts: [{ status: 200 }],
    body: { data: { uuid: body.movement_uuid, amount: '5.00' } },
  });
  expect((await listed()).map(({ event }) => event)).toEqual(['movement.created', 'account.status_updated']);
});

test('a delivered callback is sent once more with the same content', async () => {
  await payIn('5.00');
  const { id } = await becomes('delivered');
  expect((await change(id, 'resend')).status).toBe(200);
  // The callback's first row is deleted a little later.
  expect(await listed()).toHaveLength(2);
  const received = await told(3);
  expect(received[2]).toEqual(received[1]);
  expect((await becomes('delivered')).id).toBe(id);
  await until(newest, ({ attempts }) => attempts.length === 2, PATIENCE_MS);
});

test('a tester can lose the callback of a change, and send it afterwards', async () => {
  expect((await payIn('5.00', { callback: 'lost' })).status).toBe(201);
  const { id, attempts } = await becomes('lost');
  expect(attempts).toEqual([]);
  expect(listener.received).toHaveLength(1);
  for (const action of ['lose', 'delay']) expect((await change(id, action)).status).toBe(409);
  await change(id, 'resend');
  expect((await told(2))[1]).toMatchObject({ event: 'movement.created', data: { amount: '5.00' } });
  await becomes('delivered');
});

test('a tester can delay a waiting callback further, lose it, or send it now', async () => {
  await payIn('5.00', { callback: 'late', callbackDelayMs: 600_000 });
  const waiting = await becomes('waiting');
  const { body } = await change(waiting.id, 'delay', { forMs: 1_200_000 });
  expect(Date.parse(body.due_at ?? '')).toBeGreaterThan(Date.parse(waiting.due_at ?? ''));
  expect((await change(waiting.id, 'resend')).status).toBe(200);
  await told(2);
  await becomes('delivered');

  await payIn('6.00', { callback: 'late' });
  const { id } = await becomes('waiting');
  expect((await change(id, 'lose')).body).toMatchObject({ state: 'lost', due_at: null });
  expect((await change(id, 'lose')).body.detail).toBe('it is lost: only one that waits can be lost');
});

test('a refused callback waits for its next attempt, which can be made immediately', async () => {
  listener.answers.push(500);
  await payIn('5.00', {});
  const failed = await until(
    newest,
    ({ state, attempts }) => state === 'waiting' && attempts.length === 1,
    PATIENCE_MS,
  );
  expect(failed.attempts).toMatchObject([{ status: 500 }]);
  await change(failed.id, 'resend');
  expect((await becomes('delivered')).attempts).toMatchObject([{ status: 500 }, { status: 200 }]);
});

test('the controls of callbacks refuse unknown ids and values', async () => {
  expect((await change(999_999, 'resend')).status).toBe(404);
  expect((await change(1, 'shout')).status).toBe(404);
  expect((await payIn('5.00', { callback: 'upside down' })).status).toBe(400);
  expect((await payIn('5.00', { callback: 'late', callbackDelayMs: 'soon' })).status).toBe(400);
  expect(await listed()).toHaveLength(1);
});

test('a chosen delivery does not affect the next change', async () => {
  await payIn('1.00', { callback: 'lost' });
  await payIn('2.00');
  expect((await told(2))[1]).toMatchObject({ data: { amount: '2.00' } });
});
