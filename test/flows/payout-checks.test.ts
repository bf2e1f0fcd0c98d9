// A payment above a limit is refused before anything is reserved. Only a clear and timely answer of the provider refuses one.
import { expect, test } from 'vitest';
import type { PixQuote } from '../../packages/client/src/index.ts';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada } = useWorld({ proxy: true, deposit: '1000.00' });

const JOANA = 'joana@pix.example';
const confirm = ({ api }: Person, { quoteId }: PixQuote, pixKey: string) =>
  api.POST('/pix/payments', { body: { quoteId, pixKey, pixKeyType: 'email' } });
const paymentsOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .select('id')
    .where('user_id', '=', userId)
    .execute();
const forever = { operation: 'createPayoutCheck', times: 100, forwarded: true } as const;

test.each([
  ['maximum', 'per_payment', false, null],
  ['today', 'day', true, 'T03:00:00.000Z'],
  ['tonight', 'night', true, 'T09:00:00.000Z'],
] as const)(
  'a payment to %s@pix.example is refused for the limit %s, and nothing is reserved',
  async (key, limit, retryHelps, retryFrom) => {
    const [balance, payments] = [await balanceOf(ada), await paymentsOf(ada)];
    const quoted = await quote(ada, 10);
    const refused = await confirm(ada, quoted, `${key}@pix.example`);
    expect(refusalIn(refused)).toEqual([422, 'payout_not_allowed']);
    expect(refused.error?.payoutFailure).toEqual({
      code: 'limit_reached',
      limit,
      retryHelps,
      retryFrom: refused.error?.payoutFailure?.retryFrom,
    });
    expect(refused.error?.payoutFailure?.retryFrom?.slice('yyyy-mm-dd'.length) ?? null).toBe(retryFrom);
    expect([await balanceOf(ada), await paymentsOf(ada)]).toEqual([balance, payments]);
    // The quote is not used: it still pays another recipient.
    const { pixPaymentId } = must(await confirm(ada, quoted, JOANA));
    await reaches(ada, pixPaymentId, 'completed');
  },
);

test('the provider is asked about exactly the payout that it gets', async () => {
  const body = JSON.stringify({
    source_account_uuid: await accountRefOf(world, ada.userId, 'BRL'),
    amount: '12.34',
    currency: 'BRL',
    rail: 'PIX',
    destination: { pix_key: JOANA, pix_key_type: 'email', recipient_name: 'Joana' },
  });
  const checks = proxy.spoil({ ...forever, spoilt: 'late', forwarded: true, about: body });
  const id = await pay(ada, await quote(ada, 12.34), {
    pixKey: JOANA,
    pixKeyType: 'email',
    recipientName: 'Joana',
  });
  await reaches(ada, id, 'completed');
  expect(checks.hits()).toBe(1);
  const [payout] = await payoutsOf(world, id);
  expect(payout).toMatchObject(JSON.parse(body) as object);
});

test('a repeated confirmation returns its payment without asking, whatever the limits have become', async () => {
  const quoted = await quote(ada, 10);
  const first = must(await confirm(ada, quoted, JOANA));
  const lie = proxy.lie({
    operation: 'createPayoutCheck',
    change: () => ({ allowed: false, limit: 'day', limit_amount: null, resets_at: null }),
  });
  const again = await confirm(ada, quoted, JOANA);
  expect([again.response.status, must(again).pixPaymentId]).toEqual([200, first.pixPaymentId]);
  expect(lie.hits()).toBe(0);
  expect(refusalIn(await confirm(ada, await quote(ada, 10), JOANA))).toEqual([422, 'payout_not_allowed']);
  lie.heal();
});

test('a confirmation returns the payment that a concurrent one made, although a limit stops it now', async () => {
  const quoted = await quote(ada, 10);
  const released = Promise.withResolvers<undefined>();
  const first = proxy.spoil({
    operation: 'createPayoutCheck',
    spoilt: { after: released.promise },
    forwarded: true,
  });
  const slow = confirm(ada, quoted, 'tonight@pix.example');
  await until(
    async () => first.hits(),
    (hits) => hits === 1,
  );
  proxy.spoil({ operation: 'createPayoutCheck', spoilt: { status: 400 }, forwarded: false });
  const { pixPaymentId } = must(await confirm(ada, quoted, 'tonight@pix.example'));
  released.resolve(undefined);
  const reply = await slow;
  expect([reply.response.status, must(reply).pixPaymentId]).toEqual([200, pixPaymentId]);
  await reaches(ada, pixPaymentId, 'completed');
});

test('a user without the money is told so, and not about a limit', async () => {
  const bea = await verified(world, { deposit: '1.00' });
  const refused = await confirm(bea, await quote(bea, 100), 'tonight@pix.example');
  expect(refusalIn(refused)).toEqual([422, 'insufficient_funds']);
});

test.for([
  ['no limit', { allowed: false, limit: null }, ['other', null]],
  ['an unknown limit', { allowed: false, limit: 'month', resets_at: 'soon' }, ['limit_reached', null]],
] as const)('a clear no with %s refuses the payment', async ([, answer, shown]) => {
  const lie = proxy.lie({ operation: 'createPayoutCheck', change: () => answer });
  const { error } = await confirm(ada, await quote(ada, 10), JOANA);
  lie.heal();
  expect(error?.code).toBe('payout_not_allowed');
  expect(error?.payoutFailure).toMatchObject({ code: shown[0], limit: shown[1], retryFrom: null });
});

test.for([
  ['an answer that is neither yes nor no', { allowed: 'no', limit: 'night' }],
  ['an answer without yes or no', { limit: 'night' }],
  ['a yes with a limit', { allowed: true, limit: 'night' }],
] as const)('%s refuses nothing', async ([, answer]) => {
  const lie = proxy.lie({ operation: 'createPayoutCheck', change: () => answer });
  const { pixPaymentId } = must(await confirm(ada, await quote(ada, 10), JOANA));
  lie.heal();
  expect((await reaches(ada, pixPaymentId, 'completed')).failureCode).toBeNull();
});

test.for([
  'drop',
  'cut',
  'broken',
  { status: 400, code: 'invalid_request' },
  { status: 422, code: 'rejected' },
  { status: 429, code: 'rate_limited', retryAfter: 1 },
  { status: 500 },
] as const)('a check that the provider spoils with %j refuses nothing', async (spoilt) => {
  proxy.spoil({ operation: 'createPayoutCheck', spoilt, forwarded: true });
  const { pixPaymentId } = must(await confirm(ada, await quote(ada, 10), 'tonight@pix.example'));
  expect((await reaches(ada, pixPaymentId, 'completed')).failureCode).toBeNull();
});

test('a check without an answer holds a confirmation up for its deadline at most', async () => {
  const hanging = proxy.spoil({ operation: 'createPayoutCheck', spoilt: 'hang', forwarded: false });
  const { pixPaymentId } = must(await confirm(ada, await quote(ada, 10), 'tonight@pix.example'));
  expect(hanging.hits()).toBe(1);
  await reaches(ada, pixPaymentId, 'completed');
});

test('a provider without checks refuses nothing, and is not asked for each payment', async () => {
  const lacking = proxy.spoil({ ...forever, spoilt: { status: 404, code: 'nothing' }, forwarded: false });
  for (let paid = 0; paid < 3; paid += 1) {
    const { pixPaymentId } = must(await confirm(ada, await quote(ada, 10), 'tonight@pix.example'));
    await reaches(ada, pixPaymentId, 'completed');
  }
  expect(lacking.hits()).toBe(1);
});
