// Payments to a PIX recipient with one conversion, from the quote to the end of every path.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PixQuote } from '../../packages/client/src/index.ts';
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import { ProviderRefusal } from '../../src/provider/errors.ts';
import type { PayoutSnapshot } from '../../src/provider/port.ts';
import { balanceOf, must, pay, quote, reaches, refusalIn } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '1000.00' });

test('a payment is converting immediately, completed soon, and debits what was quoted', async () => {
  const before = await balanceOf(ada);
  const quoted = await quote(ada, 250);
  const accepted = must(
    await ada.api.POST('/pix/payments', {
      body: {
        quoteId: quoted.quoteId,
        pixKey: '529.982.247-25',
        pixKeyType: 'cpf',
        recipientName: 'Joana',
      },
    }),
  );
  expect(accepted.status).toBe('converting');

  const payment = await reaches(ada, accepted.pixPaymentId, 'completed');
  expect(payment).toMatchObject({ amountBrl: '250.00', pixKey: '52998224725', recipientName: 'Joana' });
  expect(payment.endToEndId).toMatch(/^E\d{8}\d{12}\w{11}$/);
  expect(payment.failureReason).toBeNull();
  expect(Number(payment.exchangeRate)).toBe(quoted.rate);
  expect(payment).toMatchObject(costOf(quoted));
  expect(await balanceOf(ada)).toBe((before ?? 0) - quoted.sourceAmount);

  const transaction = must(
    await ada.api.GET('/transactions/{id}', { params: { path: { id: accepted.transactionId } } }),
  );
  expect(transaction).toMatchObject({
    type: 'payment',
    status: 'completed',
    destAmount: 25_000,
    pixPaymentId: accepted.pixPaymentId,
  });
  const listed = must(await ada.api.GET('/transactions'));
  expect(listed.find(({ id }) => id === accepted.transactionId)).toEqual(transaction);
  expect(transaction.completedAt).not.toBeNull();
});

/** The part of a quote that its payment repeats. */
const costOf = ({ sourceCurrency, sourceAmount, feeAmount }: PixQuote) => ({
  sourceCurrency,
  sourceAmount,
  feeAmount,
});

const endings = [
  {
    what: 'the conversion fails',
    brl: 6.66,
    key: 'joana@example.com',
    status: 'failed',
    transaction: 'failed',
    code: 'conversion_failed',
  },
  {
    what: 'the conversion fails immediately',
    brl: 7.66,
    key: 'joana@example.com',
    status: 'failed',
    transaction: 'failed',
    code: 'conversion_failed',
  },
  {
    what: 'the conversion is refused',
    brl: 3.33,
    key: 'joana@example.com',
    status: 'failed',
    transaction: 'failed',
    code: 'provider_rejected',
  },
  {
    what: 'the conversion delivers too little',
    brl: 8.88,
    key: 'joana@example.com',
    status: 'manual_review',
    transaction: 'failed',
    code: 'amount_mismatch',
  },
  {
    what: 'the conversion is completed in the reply',
    brl: 7.77,
    key: 'joana@example.com',
    status: 'completed',
    transaction: 'completed',
    code: null,
  },
  {
    what: 'the payout fails',
    brl: 10,
    key: 'fail@pix.example',
    status: 'payout_failed',
    transaction: 'pending',
    code: 'payout_failed',
  },
  {
    what: 'the payout ends in an error',
    brl: 10,
    key: 'error@pix.example',
    status: 'payout_failed',
    transaction: 'pending',
    code: 'payout_failed',
  },
  {
    what: 'the payout is rejected',
    brl: 10,
    key: 'reject@pix.example',
    status: 'payout_failed',
    transaction: 'pending',
    code: 'payout_failed',
  },
  {
    what: 'the payout is completed in the reply',
    brl: 10,
    key: 'instant@pix.example',
    status: 'completed',
    transaction: 'completed',
    code: null,
  },
  {
    what: 'the payout is returned after completion',
    brl: 10,
    key: 'refund@pix.example',
    status: 'manual_review',
    transaction: 'failed',
    code: 'payout_returned',
  },
] as const;

test.each(endings)('a payment becomes $status if $what', async ({ brl, key, status, transaction, code }) => {
  const id = await pay(ada, await quote(ada, brl), { pixKey: key, pixKeyType: 'email' });
  const payment = await reaches(ada, id, status);
  const linked = must(
    await ada.api.GET('/transactions/{id}', { params: { path: { id: payment.transactionId } } }),
  );
  const reason = code && failureReasons[code];
  expect(payment).toMatchObject({ failureCode: code, failureReason: reason });
  // A payment that can still be retried has not failed.
  const hasFailed = transaction === 'failed';
  expect(linked).toMatchObject({
    status: transaction,
    failureCode: hasFailed ? code : null,
    failureReason: hasFailed ? reason : null,
    pixPaymentId: id,
  });
});

test('a failed conversion leaves the balance as it was', async () => {
  const before = await balanceOf(ada);
  await reaches(ada, await pay(ada, await quote(ada, 6.66)), 'failed');
  expect(await balanceOf(ada)).toBe(before);
});

test('concurrent retries of a failed payout pay it once', async () => {
  const id = await pay(ada, await quote(ada, 20), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const retry = () => ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } });
  const answers = await Promise.all(Array.from({ length: 10 }, retry));
  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  await reaches(ada, id, 'completed');
  expect(refusalIn(await retry())).toEqual([409, 'not_retryable']);
});

test('an Idempotency-Key of a retry belongs to one payment, and is refused for another one', async () => {
  const rejected = { pixKey: 'reject@pix.example', pixKeyType: 'email' } as const;
  const ids = [
    await pay(ada, await quote(ada, 22), rejected),
    await pay(ada, await quote(ada, 23), rejected),
  ];
  for (const id of ids) await reaches(ada, id, 'payout_failed');
  const [first, second] = ids as [string, string];
  const retry = (id: string, key: string) =>
    ada.api.POST('/pix/payments/{id}/retry', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    });
  const key = randomUUID();
  expect(must(await retry(first, key))).toMatchObject({ id: first, status: 'paying' });
  expect(must(await retry(first, key)).id).toBe(first);
  expect(refusalIn(await retry(second, key))).toEqual([422, 'idempotency_key_reused']);
  expect(must(await retry(second, randomUUID()))).toMatchObject({ id: second, status: 'paying' });
});

test('a retry creates the payout if its creation was rejected', async () => {
  const id = await pay(ada, await quote(ada, 21), { pixKey: 'reject@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const retried = must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  expect(retried.status).toBe('paying');
  await reaches(ada, id, 'payout_failed');
});

const arrived = (payout: PayoutSnapshot): PayoutSnapshot => ({
  ...payout,
  status: 'completed',
  updatedAt: new Date(payout.updatedAt.getTime() + 1),
});

test('a retry that the provider refuses because the earlier payout has arrived completes the payment', async () => {
  const { app } = world.service;
  const real = app.provider;
  const id = await pay(ada, await quote(ada, 22), { pixKey: 'fail@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  app.provider = {
    ...real,
    reissuePayout: async () => {
      throw new ProviderRefusal('rejected', 'reissuePayout');
    },
    getPayout: async (ref) => arrived(await real.getPayout(ref)),
  };
  try {
    must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
    expect((await reaches(ada, id, 'completed')).failureReason).toBeNull();
  } finally {
    app.provider = real;
  }
});
