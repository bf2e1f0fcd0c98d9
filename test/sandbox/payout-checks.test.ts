// Checks of payouts, their magic keys, and what they leave as it is.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ledger, payoutBecomes, pixBody, type Schemas } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared', brl: '1000.00' });

const check = (key: string, change: object = {}) => {
  const { origin_id: _handle, ...body } = pixBody(wallet, '10.00', key);
  return upstream.post<Schemas['PayoutCheck']>('/v1/payout_checks/', { ...body, ...change });
};

test.each([
  ['maximum@pix.example', 'per_payment', null],
  ['today@pix.example', 'day', 'T03:00:00.000Z'],
  ['tonight@pix.example', 'night', 'T09:00:00.000Z'],
])('a check of a payout to %s names the limit %s, which ends at %s', async (key, limit, ends) => {
  const { status, body } = await check(key);
  expect([status, body.allowed, body.limit]).toEqual([200, false, limit]);
  expect(body.limit_amount).toMatch(/^\d+\.00$/);
  expect(body.resets_at?.slice(-'T03:00:00.000Z'.length) ?? null).toBe(ends);
});

test('a check allows any other payout, creates nothing and moves nothing', async () => {
  const before = await ledger(upstream);
  expect(await check('joana@pix.example', { amount: '99999.00' })).toMatchObject({
    status: 200,
    body: { allowed: true, limit: null, limit_amount: null, resets_at: null },
  });
  expect(await ledger(upstream)).toEqual(before);
  const { body } = await upstream.get<Schemas['PayoutPage']>('/v1/payouts/');
  expect(body.results).toEqual([]);
});

test('a check can be unavailable, and needs an account', async () => {
  expect(await check('unchecked@pix.example')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(await check('joana@pix.example', { source_account_uuid: randomUUID() })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});

test('a check decides nothing about the payout', async () => {
  await check('tonight@pix.example');
  const { body } = await upstream.post<Schemas['Payout']>(
    '/v1/payouts/',
    pixBody(wallet, '10.00', 'tonight@pix.example'),
  );
  expect((await payoutBecomes(upstream, body.uuid, 'COMPLETED')).failure_code).toBeNull();
});
