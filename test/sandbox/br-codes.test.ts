// PIX codes: what a code asks for, its magic texts, charges that testers make, and payouts that pay them.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readBrCode } from '../../packages/client/src/index.ts';
import { readCode, staticCode } from '../../sandbox/br-code.ts';
import { type CodeOutcome, magicCode } from '../../sandbox/magic.ts';
import { createOwner, payoutBecomes, pixBody, type Schemas } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared', brl: '1000.00' });
let owner: string;
beforeAll(async () => {
  owner = (await createOwner(upstream)).uuid;
});

const read = (payload: string, owner_uuid = owner) =>
  upstream.post<Schemas['BrCode'] & { reason?: string }>('/v1/br_codes/', { owner_uuid, payload });

async function charge(fields: Record<string, unknown> = {}) {
  const response = await fetch(`${upstream.url}/sandbox/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return { status: response.status, ...((await response.json()) as { charge_uuid: string; code: string }) };
}

const payCode = (code: string | undefined, amount: string) =>
  upstream.post<Schemas['Payout'] & { reason?: string }>('/v1/payouts/', {
    ...pixBody(wallet, amount),
    ...(code !== undefined && { br_code_uuid: code }),
  });

test('a charge has a code that everybody can scan, and each reading names the same charge', async () => {
  const { charge_uuid, code } = await charge({ amount: '12.50' });
  expect(readBrCode(code)).toMatchObject({ kind: 'dynamic', recipientName: 'Padaria Estrela Ltda.' });
  const [first, second] = [(await read(code)).body, (await read(code)).body];
  expect(first).toMatchObject({
    kind: 'DYNAMIC',
    charge_uuid,
    pix_key: 'padaria@pix.example',
    pix_key_type: 'email',
    recipient_name: 'Padaria Estrela Ltda.',
    institution_name: 'Caixa do Bairro',
    amount: '12.50',
    amount_is_fixed: true,
    txid: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(second.charge_uuid).toBe(charge_uuid);
  expect(second.uuid).not.toBe(first.uuid);
});

test('a static code has a key and no charge', async () => {
  const text = staticCode('joana@pix.example', { name: 'Joana Lima', city: 'Sao Paulo' }, '5.00');
  expect(readBrCode(text)).toMatchObject({ kind: 'static', pixKey: 'joana@pix.example', amountBrl: 5 });
  expect((await read(text)).body).toMatchObject({
    kind: 'STATIC',
    charge_uuid: null,
    recipient_name: 'Joana Lima',
    amount: '5.00',
    amount_is_fixed: false,
    txid: null,
    expires_at: null,
  });
});

test.each<[CodeOutcome]>([['expired'], ['already_paid'], ['cancelled'], ['not_supported'], ['unavailable']])(
  'a magic code is refused as %s',
  async (outcome) => {
    expect(await read(magicCode(outcome))).toMatchObject({
      status: 422,
      body: { code: 'rejected', reason: outcome },
    });
  },
);

test.each([
  ['not_pix', 'https://shop.example'],
  ['damaged', magicCode('fixed').slice(0, -1)],
  ['damaged', magicCode('fixed').replace('Aurora', 'Aurara')],
])('a text is refused as %s', async (reason, text) => {
  expect(readCode(text)).toBe(reason);
  expect(await read(text)).toMatchObject({ status: 422, body: { reason } });
});

test('a magic code has a new charge at each reading', async () => {
  const [first, second] = [await read(magicCode('open')), await read(magicCode('open'))];
  expect(first.body).toMatchObject({ kind: 'DYNAMIC', amount: null, amount_is_fixed: false });
  expect(second.body.charge_uuid).not.toBe(first.body.charge_uuid);
});

test('a code needs an owner', async () => {
  expect(await read(magicCode('fixed'), randomUUID())).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});

test('at most one payout of a charge is pending or completed, and only one of its fixed amount', async () => {
  const { code, charge_uuid } = await charge({ amount: '10.00' });
  const [{ uuid }, { uuid: another }] = [(await read(code)).body, (await read(code)).body];
  expect(await payCode(randomUUID(), '10.00')).toMatchObject({ status: 400 });
  expect(await payCode(uuid, '10.01')).toMatchObject({ status: 422, body: { code: 'rejected' } });
  const { status, body: payout } = await payCode(uuid, '10.00');
  expect([status, payout.br_code_uuid]).toEqual([201, uuid]);
  const refused = { status: 422, body: { code: 'rejected', reason: 'already_paid' } };
  expect(await payCode(another, '10.00')).toMatchObject(refused);
  await payoutBecomes(upstream, payout.uuid, 'COMPLETED');
  expect(await payCode(another, '10.00')).toMatchObject(refused);
  expect(await read(code)).toMatchObject(refused);
  const page = await (await fetch(`${upstream.url}/console/payouts/${payout.uuid}`)).text();
  expect(page).toContain(charge_uuid);
  const charges = await (await fetch(`${upstream.url}/console/charges`)).text();
  expect(charges).toContain(payout.uuid);
});

test('a charge is payable again once its payout came back, unless it has expired', async () => {
  const { code } = await charge({ amount: '10.00', pixKey: 'fail@pix.example' });
  const { uuid } = (await read(code)).body;
  const failing = await upstream.post<Schemas['Payout']>('/v1/payouts/', {
    ...pixBody(wallet, '10.00', 'fail@pix.example'),
    br_code_uuid: uuid,
  });
  await payoutBecomes(upstream, failing.body.uuid, 'FAILED');
  expect((await payCode(uuid, '10.00')).status).toBe(201);
  const reissue = { origin_id: failing.body.origin_id, attempt: 2 };
  expect(await upstream.post(`/v1/payouts/${failing.body.uuid}/reissue/`, reissue)).toMatchObject({
    status: 422,
    body: { reason: 'already_paid' },
  });
  const over = await charge({ amount: '10.00', expiresInSeconds: 0 });
  expect(await read(over.code)).toMatchObject({ status: 422, body: { reason: 'expired' } });
});

test('a payer may change the amount of a charge that says so', async () => {
  const { code } = await charge({ amount: '10.00', payerDecides: 'yes' });
  const { uuid, amount_is_fixed } = (await read(code)).body;
  expect(amount_is_fixed).toBe(false);
  expect((await payCode(uuid, '3.00')).status).toBe(201);
});

test.each([
  [{ amount: 'ten' }],
  [{ expiresInSeconds: -1 }],
  [{ expiresInSeconds: 'soon' }],
  [{ pixKeyType: 'iban' }],
  [{ payerDecides: 'perhaps' }],
])('a charge with %j is refused', async (fields) => {
  expect((await charge(fields)).status).toBe(400);
});

test('the form of the console makes a charge, and shows its code', async () => {
  const response = await fetch(`${upstream.url}/sandbox/charges`, {
    method: 'POST',
    body: new URLSearchParams({ amount: '8', pixKey: '', expiresInSeconds: '3600', payerDecides: 'no' }),
  });
  expect(response.url).toBe(`${upstream.url}/console/charges?done=charged`);
  const page = await response.text();
  expect(page).toContain('The charge is made.');
  expect(page).toContain('8.00');
});
