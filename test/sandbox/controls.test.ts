// The decisions of a tester over HTTP: how a verification, an account, a conversion or a payout ends, and when.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createOwner,
  fpsBody,
  handle,
  type Listener,
  ledger,
  listen,
  pixBody,
  quoteBrl,
  readAccount,
  readOwner,
  readPayout,
  type Schemas,
  startUpstream,
  submitForm,
  transferBody,
  until,
  verifiedOwner,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

/** A sandbox in which no planned step happens within ten minutes. */
const { upstream, wallet } = useUpstream({ wallet: 'shared', brl: '500.00' });
let listener: Listener;
beforeEach(async () => {
  listener = await listen();
});
afterEach(() => listener.close());

type Payout = Schemas['Payout'];
interface Planned {
  planned: { status: string; due_at: string }[];
}

const slowPayout = async () =>
  (
    await upstream.post<Payout>('/v1/payouts/', {
      ...pixBody(wallet, '10.00', 'slow@pix.example'),
      callback_url: listener.url,
    })
  ).body;
const slowTransfer = async () =>
  (
    await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', {
      ...transferBody(wallet, await quoteBrl(upstream, '9.99')),
      callback_url: listener.url,
    })
  ).body;
const decide = <Body>(resource: string, uuid: string, action: string, body: object = {}) =>
  upstream.post<Body & { detail?: string }>(`/sandbox/${resource}/${uuid}/${action}`, body);
const brl = async () => (await readAccount(upstream, wallet.brl.uuid)).balance;
const told = (count: number) =>
  until(
    () => listener.received,
    (received) => received.length >= count,
  );

test.each([
  ['complete', 'COMPLETED', false],
  ['fail', 'FAILED', true],
  ['error', 'ERROR', true],
  ['refund', 'REFUNDED', true],
])(
  'the control %s ends a waiting payout as %s, and a callback reports it',
  async (action, status, isGivenBack) => {
    const before = await brl();
    const { uuid } = await slowPayout();
    const debited = await brl();
    expect(debited).not.toBe(before);

    const { status: answered, body } = await decide<Payout>('payouts', uuid, action);
    expect({ answered, status: body.status }).toEqual({ answered: 200, status });
    expect(await readPayout(upstream, uuid)).toEqual(body);
    expect(await brl()).toBe(isGivenBack ? before : debited);
    const [callback] = await told(1);
    expect(callback).toMatchObject({ event: 'payout.updated', data: body, updated_at: body.updated_at });
    expect(await ledger(upstream)).toMatchObject({ balanced: true });
  },
);

test('a completed payout can be returned, and nothing more can be done to it', async () => {
  const { uuid } = await slowPayout();
  await decide('payouts', uuid, 'complete');
  expect(await decide('payouts', uuid, 'fail')).toMatchObject({
    status: 409,
    body: { code: 'rejected', detail: 'the payout is COMPLETED: it can only be returned' },
  });
  expect((await decide<Payout>('payouts', uuid, 'refund')).body.status).toBe('REFUNDED');
  for (const action of ['complete', 'fail', 'error', 'refund', 'delay'])
    expect((await decide('payouts', uuid, action)).status).toBe(409);
  expect((await told(2)).map(({ data }) => data['status'])).toEqual(
    expect.arrayContaining(['COMPLETED', 'REFUNDED']),
  );
});

test('a failed payout can be issued again, and the new attempt has its own plan', async () => {
  const { uuid, origin_id } = await slowPayout();
  await decide('payouts', uuid, 'fail');
  expect((await decide('payouts', uuid, 'complete')).status).toBe(409);
  const { body } = await upstream.post<Payout>(`/v1/payouts/${uuid}/reissue/`, { origin_id, attempt: 2 });
  expect(body).toMatchObject({ status: 'PENDING', attempt: 2 });
  expect((await decide<Payout>('payouts', uuid, 'complete')).body).toMatchObject({
    status: 'COMPLETED',
    attempt: 2,
  });
});

test('a delayed payout takes its planned step later', async () => {
  const { uuid, updated_at } = await slowPayout();
  const { status, body } = await decide<Planned>('payouts', uuid, 'delay', { forMs: 3_600_000 });
  expect(status).toBe(200);
  expect(body.planned).toMatchObject([{ status: 'COMPLETED' }]);
  expect(Date.parse(body.planned[0]?.due_at ?? '')).toBeGreaterThanOrEqual(
    Date.parse(updated_at) + 4_200_000,
  );
  expect((await readPayout(upstream, uuid)).status).toBe('PENDING');
  expect((await decide('payouts', uuid, 'delay', { forMs: -1 })).status).toBe(400);
});

test.each([
  ['complete', 'COMPLETED'],
  ['fail', 'FAILED'],
])('the control %s ends a waiting conversion once, as %s', async (action, status) => {
  const { uuid } = await slowTransfer();
  const { body } = await decide<Schemas['InternalTransfer']>('transfers', uuid, action);
  expect(body.status).toBe(status);
  const [callback] = await told(1);
  expect(callback).toMatchObject({ event: 'internal_transfer.updated', data: body });
  for (const again of ['complete', 'fail', 'delay'])
    expect((await decide('transfers', uuid, again)).status).toBe(409);
  expect(await ledger(upstream)).toMatchObject({ balanced: true });
});

test('a tester can complete a verification without the hosted page, and the owner gets a name', async () => {
  const { uuid } = await createOwner(upstream);
  expect((await decide('owners', uuid, 'delay')).status).toBe(409);
  const { body } = await decide<Schemas['Owner']>('owners', uuid, 'complete', { full_name: 'Rosa Lima' });
  expect(body).toMatchObject({ status: 'COMPLETED', full_name: 'Rosa Lima', level: 'STANDARD' });
  expect((await decide('owners', uuid, 'fail')).body.detail).toContain('final');
});

test('a tester can let a verification fail for a reason', async () => {
  const { uuid } = await createOwner(upstream);
  expect((await decide('owners', uuid, 'fail', { failure_code: 'bored' })).status).toBe(400);
  const { body } = await decide<Schemas['Owner']>('owners', uuid, 'fail', { failure_code: 'name_mismatch' });
  expect(body).toMatchObject({ status: 'FAILED', failure_code: 'name_mismatch' });
});

test('a tester can complete a failed verification', async () => {
  const { uuid } = await createOwner(upstream);
  expect((await decide<Schemas['Owner']>('owners', uuid, 'fail')).body.status).toBe('FAILED');
  expect((await decide('owners', uuid, 'fail')).status).toBe(409);
  await decide('owners', uuid, 'complete');
  expect((await readOwner(upstream, uuid)).status).toBe('COMPLETED');
});

test('a tester can activate an account, and a callback reports it', async () => {
  const slow = await startUpstream({ activateMs: 600_000 });
  const owner = await verifiedOwner(slow);
  const request = { external_id: handle('account'), owner_uuid: owner.uuid, currency: 'GBP' };
  const { body: account } = await slow.post<Schemas['Account']>('/v1/accounts/', {
    ...request,
    callback_url: listener.url,
  });
  const paidIn = () => slow.post('/sandbox/deposits', { accountUuid: account.uuid, amount: '5.00' });
  expect((await paidIn()).body.code).toBe('account_not_active');
  const delayed = await slow.post<Planned>(`/sandbox/accounts/${account.uuid}/delay`, {});
  expect(delayed.body.planned).toMatchObject([{ status: 'ACTIVE' }]);
  const { body } = await slow.post<Schemas['Account']>(`/sandbox/accounts/${account.uuid}/activate`, {});
  expect(body).toMatchObject({ status: 'ACTIVE', deposit_instructions: expect.any(Object) });
  expect((await told(1))[0]).toMatchObject({ event: 'account.status_updated', data: body });
  expect((await slow.post(`/sandbox/accounts/${account.uuid}/activate`, {})).status).toBe(409);
  expect((await paidIn()).status).toBe(201);
  await slow.close();
});

test.each([
  ['payouts/0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60/complete', 404],
  ['transfers/nothing/fail', 404],
  ['owners/nothing/complete', 404],
  ['accounts/nothing/activate', 404],
  ['payouts/nothing/delay', 404],
  ['payouts/nothing/explode', 404],
  ['quotes/nothing/complete', 404],
])('POST /sandbox/%s is answered with %i', async (path, status) => {
  expect((await upstream.post(`/sandbox/${path}`, {})).status).toBe(status);
});

test('the controls refuse a form of another site, and accept one of the sandbox itself', async () => {
  const { uuid } = await slowPayout();
  const post = (headers: Record<string, string>) =>
    fetch(`${upstream.url}/sandbox/payouts/${uuid}/fail`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      redirect: 'manual',
    });
  expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await post({ origin: 'https://attacker.example' })).status).toBe(403);
  expect((await post({ origin: 'null' })).status).toBe(403);
  expect((await readPayout(upstream, uuid)).status).toBe('PENDING');
  const taken = await post({ 'sec-fetch-site': 'same-origin', origin: upstream.url });
  expect([taken.status, taken.headers.get('location')]).toEqual([303, `/console/payouts/${uuid}?done=fail`]);
});

test('a form gets the page of what it changed, or a page that says why nothing changed', async () => {
  const { body } = await upstream.post<Payout>('/v1/payouts/', fpsBody(wallet, '16.16'));
  const address = `${upstream.url}/sandbox/payouts/${body.uuid}`;
  expect((await submitForm(`${address}/complete`, { callback: '' })).text).toContain('Completed.');
  expect(await submitForm(`${address}/fail`, { callback: '' })).toMatchObject({
    status: 409,
    text: expect.stringContaining('it can only be returned'),
  });
});
