import { expect, test } from 'vitest';
import {
  fpsBody,
  fundedWallet,
  ledger,
  payoutBecomes,
  pixBody,
  readAccount,
  readPayout,
  type Schemas,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared', brl: '1000.00' });

type Payout = Schemas['Payout'];
const start = (body: object) => upstream.post<Payout>('/v1/payouts/', body);
const reissue = ({ uuid, origin_id }: Payout, attempt: number) =>
  upstream.post<Payout>(`/v1/payouts/${uuid}/reissue/`, { origin_id, attempt });
const brl = async () => (await readAccount(upstream, wallet.brl.uuid)).balance;
const home = async () => (await readAccount(upstream, wallet.home.uuid)).balance;

test("a payout by PIX debits immediately and completes with the scheme's receipt", async () => {
  const before = Number(await brl());
  const { status, body } = await start(pixBody(wallet, '12.34'));
  expect({ status, state: body.status, attempt: body.attempt }).toEqual({
    status: 201,
    state: 'PENDING',
    attempt: 1,
  });
  const done = await payoutBecomes(upstream, body.uuid, 'COMPLETED');
  expect(done.end_to_end_id).toMatch(/^E\d{8}\d{12}[0-9A-Z]{11}$/);
  expect(done.voucher_id).toMatch(/^V-/);
  expect(Number(await brl())).toBeCloseTo(before - 12.34, 2);
  expect(done.updated_at > body.updated_at).toBe(true);
});

test.each([
  ['fail@pix.example', 'FAILED'],
  ['error@pix.example', 'ERROR'],
  ['refund@pix.example', 'REFUNDED'],
  ['return@pix.example', 'REFUNDED'],
] as const)('a payout to %s ends as %s and returns the money', async (key, status) => {
  const before = await brl();
  const { body } = await start(pixBody(wallet, '10.00', key));
  const done = await payoutBecomes(upstream, body.uuid, status);
  expect(done.failure_reason).not.toBeNull();
  expect(await brl()).toBe(before);
});

test.each([
  ['unknown@pix.example', 'recipient_unknown', null, null],
  ['expensive@pix.example', 'limit_reached', 'per_payment', null],
  ['daily@pix.example', 'limit_reached', 'day', 'T03:00:00.000Z'],
  ['nightly@pix.example', 'limit_reached', 'night', 'T09:00:00.000Z'],
  ['blocked@pix.example', 'account_blocked', null, null],
  ['mismatch@pix.example', 'name_mismatch', null, null],
  ['closed@pix.example', 'recipient_bank_unavailable', null, null],
  ['stale@pix.example', 'code_expired', null, null],
  ['fail@pix.example', 'other', null, null],
])('a payout to %s fails with %s, the limit %s and the next try %s', async (key, code, limit, retryFrom) => {
  const { failure_code, failure_limit, retry_from = null, updated_at } = await failedPayout(key);
  expect([failure_code, failure_limit]).toEqual([code, limit]);
  expect(retry_from?.slice(-'T03:00:00.000Z'.length) ?? null).toBe(retryFrom);
  expect(retry_from === null || retry_from > updated_at).toBe(true);
});

test.each(['daily@pix.example', 'nightly@pix.example', 'closed@pix.example'])(
  'a payout to %s completes when it is issued again, and has no reason any more',
  async (key) => {
    const payout = await failedPayout(key);
    const none = { failure_reason: null, failure_code: null, failure_limit: null, retry_from: null };
    expect((await reissue(payout, 2)).body).toMatchObject({ status: 'PENDING', ...none });
    expect(await payoutBecomes(upstream, payout.uuid, 'COMPLETED')).toMatchObject(none);
  },
);

test.each([
  ['instant@pix.example', 201, 'COMPLETED'],
  ['instantfail@pix.example', 201, 'FAILED'],
  ['slow@pix.example', 201, 'PENDING'],
  ['reject@pix.example', 422, undefined],
])('a payout to %s is answered with %s %s', async (key, status, state) => {
  const reply = await start(pixBody(wallet, '1.00', key));
  expect(reply.status).toBe(status);
  expect(reply.body.status).toBe(state);
});

test('a repeated payout is answered with 200, and with 409 if its content differs', async () => {
  const body = pixBody(wallet, '1.00');
  const first = await start({ ...body, callback_url: 'http://localhost:1/old' });
  const again = await start({ ...body, callback_url: 'http://localhost:1/new' });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body.uuid).toBe(first.body.uuid);
  expect(await start({ ...body, amount: '2.00' })).toMatchObject({
    status: 409,
    body: { code: 'origin_id_conflict' },
  });
  const found = await upstream.get<Schemas['PayoutPage']>(`/v1/payouts/?origin_id=${body.origin_id}`);
  expect(found.body.results.map(({ uuid }) => uuid)).toEqual([first.body.uuid]);
});

test('a refused payout leaves its handle free', async () => {
  const body = pixBody(wallet, '99999.00');
  expect(await start(body)).toMatchObject({ status: 422, body: { code: 'insufficient_funds' } });
  expect((await start({ ...body, amount: '1.00' })).status).toBe(201);
});

test.each([
  ['another currency', { currency: 'GBP' }],
  ['another rail', { rail: 'FPS' }],
  ['no key', { destination: { pix_key_type: 'cpf', recipient_name: null } }],
  ['a float', { amount: 1.5 }],
  ['nothing', { amount: '0.00' }],
  ['an unknown field', { note: 'hello' }],
])('a payout with %s is answered with 400', async (_what, change) => {
  expect(await start({ ...pixBody(wallet, '1.00'), ...change })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});

async function failedPayout(key: string): Promise<Payout> {
  const { body } = await start(pixBody(wallet, '5.00', key));
  return payoutBecomes(upstream, body.uuid, 'FAILED');
}

test('a payout that is issued again keeps its ids, debits again and can complete', async () => {
  const payout = await failedPayout('recover@pix.example');
  const before = Number(await brl());
  const again = await reissue(payout, 2);
  expect(again).toMatchObject({
    status: 200,
    body: { uuid: payout.uuid, status: 'PENDING', attempt: 2, failure_reason: null },
  });
  expect((await payoutBecomes(upstream, payout.uuid, 'COMPLETED')).attempt).toBe(2);
  expect(Number(await brl())).toBeCloseTo(before - 5, 2);
  expect(await reissue(payout, 3)).toMatchObject({ status: 409, body: { code: 'rejected' } });
});

test('fifty concurrent requests issue a payout again once', async () => {
  const payout = await failedPayout('recover@pix.example');
  const before = Number(await brl());
  const replies = await Promise.all(Array.from({ length: 50 }, () => reissue(payout, 2)));
  expect(replies.every(({ status, body }) => status === 200 && body.attempt === 2)).toBe(true);
  await payoutBecomes(upstream, payout.uuid, 'COMPLETED');
  expect(Number(await brl())).toBeCloseTo(before - 5, 2);
});

test("issuing a payout again needs the next attempt number and the payout's own handle", async () => {
  const payout = await failedPayout('fail@pix.example');
  expect(await reissue(payout, 3)).toMatchObject({ status: 400 });
  expect(await reissue({ ...payout, origin_id: 'another' }, 2)).toMatchObject({
    status: 409,
    body: { code: 'origin_id_conflict' },
  });
  expect((await reissue(payout, 2)).status).toBe(200);
  expect((await payoutBecomes(upstream, payout.uuid, 'FAILED')).attempt).toBe(2);
});

test.each([
  ['13.13', 'FAILED', true],
  ['14.14', 'REFUNDED', true],
  ['15.15', 'ERROR', true],
  ['20.00', 'COMPLETED', false],
] as const)('a withdrawal of %s ends as %s', async (amount, status, givenBack) => {
  const before = Number(await home());
  const { body } = await start(fpsBody(wallet, amount));
  const done = await payoutBecomes(upstream, body.uuid, status);
  expect(done.end_to_end_id).toBeNull();
  expect(Number(await home())).toBeCloseTo(givenBack ? before : before - Number(amount), 2);
});

test('a withdrawal from a EUR account goes by SEPA', async () => {
  const euro = await fundedWallet(upstream, 'EUR');
  const destination = { account_holder_name: 'Ada', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
  const body = { ...fpsBody(euro, '30.00'), currency: 'EUR', rail: 'SEPA', destination };
  const done = await payoutBecomes(upstream, (await start(body)).body.uuid, 'COMPLETED');
  expect(done).toMatchObject({ currency: 'EUR', rail: 'SEPA', destination });
});

test('a tester can return a withdrawal once, before or after it arrived', async () => {
  const before = await home();
  const { body } = await start(fpsBody(wallet, '21.00'));
  await payoutBecomes(upstream, body.uuid, 'COMPLETED');
  const refund = () => upstream.post<Payout>(`/sandbox/payouts/${body.uuid}/refund`);
  expect(await refund()).toMatchObject({ status: 200, body: { status: 'REFUNDED' } });
  expect((await refund()).status).toBe(409);
  const slow = (await start(fpsBody(wallet, '16.16'))).body;
  expect((await upstream.post<Payout>(`/sandbox/payouts/${slow.uuid}/refund`)).body.status).toBe('REFUNDED');
  expect((await readPayout(upstream, slow.uuid)).status).toBe('REFUNDED');
  expect(await home()).toBe(before);
});

test.each([
  ['Ada Silva', { status: 'MATCH' }],
  ['Ada Close', { status: 'CLOSE_MATCH', matched_name: 'Ada Lima' }],
  ['Ada Nameless', { status: 'CLOSE_MATCH' }],
  ['Mismatch Ltd', { status: 'NO_MATCH' }],
  ['Ada Impossible', { status: 'NOT_POSSIBLE' }],
  ['unavailable', { status: 'UNAVAILABLE' }],
])('the validation of a bank account held by %s answers %j', async (account_holder_name, body) => {
  const gbp = { currency: 'GBP', account_holder_name, account_number: '12345678', sort_code: '12-34-56' };
  expect(await upstream.post('/v1/bank_account_validations/', gbp)).toEqual({
    status: 200,
    body,
  });
  const eur = { currency: 'EUR', account_holder_name, iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
  expect(await upstream.post('/v1/bank_account_validations/', eur)).toEqual({
    status: 200,
    body,
  });
  expect((await upstream.post('/v1/bank_account_validations/', { ...eur, currency: 'GBP' })).status).toBe(
    400,
  );
});

test('the banks cannot be asked about an account held by Outage', async () => {
  const held = { currency: 'GBP', account_number: '12345678', sort_code: '12-34-56' };
  const request = { ...held, account_holder_name: 'Ada Outage' };
  expect(await upstream.post('/v1/bank_account_validations/', request)).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  });
});

test('the books balance after all these payouts', async () => {
  expect(await ledger(upstream)).toMatchObject({
    balanced: true,
    totals: { GBP: '0.00', BRL: '0.00', EUR: '0.00' },
  });
});
