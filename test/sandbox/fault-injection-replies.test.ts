// How the client sees each reply fault, and whether the work was done.
import { afterEach, describe, expect, test } from 'vitest';
import { REPLY_FAULTS, type ReplyFault } from '../../sandbox/faults/registry.ts';
import {
  endFaults,
  faults,
  injectFaults,
  orderFault,
  type Seen,
  see,
  stopFaults,
} from './fault-injection-support.ts';
import { fpsBody, headersFor, ledger, ledgerBalance, type Schemas } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared' });
afterEach(() => endFaults(upstream));

const NOTHING = { status: 0, text: '' };

const LOOKS: Record<ReplyFault, { seen: Partial<Seen>; isDone: boolean }> = {
  dropped: { seen: { ...NOTHING, fault: 'UND_ERR_SOCKET' }, isDone: true },
  reset: { seen: { ...NOTHING, fault: 'ECONNRESET' }, isDone: true },
  hang: { seen: { ...NOTHING, fault: 'TimeoutError' }, isDone: true },
  drip: {
    seen: { status: 201, text: expect.stringMatching(/^.{1,12}$/), fault: 'TimeoutError' },
    isDone: true,
  },
  broken: {
    seen: { status: 201, text: expect.stringMatching(/^\{"uuid":.*[^}]$/), fault: null },
    isDone: true,
  },
  error500: { seen: { status: 500, text: expect.stringContaining('internal'), fault: null }, isDone: false },
  error503: {
    seen: { status: 503, text: expect.stringContaining('unavailable'), fault: null },
    isDone: false,
  },
  error429: {
    seen: { status: 429, text: expect.stringContaining('rate_limited'), fault: null },
    isDone: false,
  },
  redirect: {
    seen: { status: 307, headers: expect.objectContaining({ location: 'http://localhost:9/elsewhere' }) },
    isDone: false,
  },
};

describe.each(REPLY_FAULTS)('a payout whose reply meets %s', (fault) => {
  test('a payout whose reply is faulty shows the fault to the client, and is made once in the end', async () => {
    const body = fpsBody(wallet, '1.00');
    await injectFaults(upstream, { replies: { [fault]: 1 } });
    const seen = await see(upstream, '/v1/payouts/', body);
    expect(seen).toMatchObject(LOOKS[fault].seen);
    expect(await faults(upstream)).toEqual({ [`replies.${fault}`]: 1 });

    await stopFaults(upstream);
    const found = await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${body.origin_id}`);
    expect(found.body.results).toHaveLength(LOOKS[fault].isDone ? 1 : 0);
    expect((await upstream.post('/v1/payouts/', body)).status).toBe(LOOKS[fault].isDone ? 200 : 201);
    expect((await ledger(upstream)).balanced).toBe(true);
  });
});

test('the fault drip sends the true answer byte by byte', async () => {
  await injectFaults(upstream, { replies: { drip: 1 } });
  const seen = await see(upstream, `/v1/accounts/${wallet.home.uuid}/`);
  expect(seen.text.length).toBeGreaterThan(0);
  expect(JSON.stringify({ uuid: wallet.home.uuid }).startsWith(seen.text)).toBe(true);
});

test.each(['error503', 'error429'])(
  'the fault %s sends some replies with Retry-After, and some without',
  async (fault) => {
    await injectFaults(upstream, { replies: { [fault]: 1, retryAfterSeconds: 3 } });
    const seen = await Promise.all(Array.from({ length: 40 }, () => see(upstream, '/v1/payouts/')));
    const said = seen.map(({ headers }) => headers['retry-after']);
    expect(new Set(said)).toEqual(new Set(['3', undefined]));
  },
);

test('reply faults affect only calls of the API that passed validation', async () => {
  await injectFaults(upstream, {
    replies: { dropped: 1 },
    callbacks: { lost: 1 },
    business: { slowAccount: 1 },
  });
  for (const path of [
    '/',
    '/health',
    '/fault-injection',
    '/sandbox/ledger',
    '/identity/a/jwks.json',
    '/identity/b/',
  ])
    expect((await see(upstream, path, undefined, 5000)).status).toBe(200);
  expect((await see(upstream, '/v1/nothing/')).status).toBe(404);
  expect((await see(upstream, '/v1/payouts/?limit=0')).status).toBe(400);
  const stranger = await fetch(`${upstream.url}/v1/payouts/`, {
    headers: { ...headersFor(upstream), authorization: '' },
  });
  expect(stranger.status).toBe(401);
  expect(await faults(upstream)).toEqual({});
});

test('a requested fault affects the requested number of calls of its operation, and no others', async () => {
  await orderFault(upstream, { operation: 'createPayout', fault: 'dropped', times: 2 });
  expect((await see(upstream, '/v1/payouts/')).status).toBe(200);
  const body = fpsBody(wallet, '1.00');
  const seen = [];
  for (let call = 0; call < 3; call++) seen.push((await see(upstream, '/v1/payouts/', body)).status);
  expect(seen).toEqual([0, 0, 200]);
  expect(await faults(upstream)).toEqual({ 'replies.dropped': 2 });
});

test('a requested fault matches its call by a text in the body or in the address', async () => {
  const [one, other] = [fpsBody(wallet, '1.00'), fpsBody(wallet, '1.00')];
  await orderFault(upstream, { operation: 'createPayout', fault: 'error500', about: other.origin_id });
  await orderFault(upstream, { operation: 'getAccount', fault: 'error500', about: wallet.brl.uuid });
  await orderFault(upstream, { operation: 'findPayouts', fault: 'error500', about: other.origin_id });
  expect((await see(upstream, '/v1/payouts/', one)).status).toBe(201);
  expect((await see(upstream, '/v1/payouts/', other)).status).toBe(500);
  expect((await see(upstream, `/v1/accounts/${wallet.home.uuid}/`)).status).toBe(200);
  expect((await see(upstream, `/v1/accounts/${wallet.brl.uuid}/`)).status).toBe(500);
  expect((await see(upstream, `/v1/payouts/?origin_id=${one.origin_id}`)).status).toBe(200);
  expect((await see(upstream, `/v1/payouts/?origin_id=${other.origin_id}`)).status).toBe(500);
  expect((await see(upstream, '/v1/payouts/', other)).status).toBe(201);
});

test('a requested fault has a Retry-After only if it was requested', async () => {
  await orderFault(upstream, { operation: 'findPayouts', fault: 'error503', retryAfterSeconds: 7 });
  await orderFault(upstream, { operation: 'findPayouts', fault: 'error503' });
  const [first, second] = [await see(upstream, '/v1/payouts/'), await see(upstream, '/v1/payouts/')];
  expect([first.status, first.headers['retry-after']]).toEqual([503, '7']);
  expect([second.status, second.headers['retry-after']]).toEqual([503, undefined]);
});

test('stopping fault injection removes a requested fault', async () => {
  await orderFault(upstream, { operation: 'findPayouts', fault: 'hang' });
  await stopFaults(upstream);
  expect((await see(upstream, '/v1/payouts/')).status).toBe(200);
});

test('a fault that replaces the work takes no money', async () => {
  const before = await ledgerBalance(upstream, `customer:${wallet.home.uuid}`);
  await injectFaults(upstream, { replies: { error500: 0.4, error503: 0.4, redirect: 1 } });
  await Promise.all(
    Array.from({ length: 20 }, () => see(upstream, '/v1/payouts/', fpsBody(wallet, '1.00'), 5000)),
  );
  expect(await ledgerBalance(upstream, `customer:${wallet.home.uuid}`)).toBe(before);
  const counts = await faults(upstream);
  expect(Object.keys(counts)).toEqual(['replies.error500', 'replies.error503', 'replies.redirect']);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(20);
});
