// The provider's callbacks never arrive. Everything still reaches a final state, because unfinished resources are polled, first
// after ten seconds. The tests make the polls due instead of waiting.
import { beforeAll, expect, test } from 'vitest';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { pollDelayMs } from '../../src/reports/polling.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { makePollsDue } from '../support/outbox.ts';
import { must, type Person, passVerification, pay, quote, reaches, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world } = useWorld({ env: { PUBLIC_BASE_URL: 'http://127.0.0.1:9' } });
beforeAll(async () => {
  ada = await signUp(world);
});

test('without callbacks, a verification is found completed without a request for its status', async () => {
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(ada);
  await untilChecked('kyc');
  const { kyc } = await until(
    async () => must(await ada.api.GET('/me')),
    (me) => me.kyc.status === 'completed',
  );
  expect(kyc.level).not.toBeNull();
});

test('without callbacks, accounts are found active', async () => {
  await untilChecked('provider_account', 2);
  const { deposit } = await until(
    async () => must(await ada.api.GET('/me')),
    (me) => me.deposit !== null,
  );
  expect(deposit).toMatchObject({ currency: 'GBP', sortCode: expect.any(String) as string });
  await sendMoney(world, deposit ?? {}, '500.00');
});

test('without callbacks, the conversion and the payout of a payment are found completed', async () => {
  const id = await pay(ada, await quote(ada, 100));
  await untilChecked('pix_payment');
  await reaches(ada, id, 'paying');
  await untilChecked('pix_payment');
  const payment = await reaches(ada, id, 'completed');
  expect(payment.endToEndId).not.toBeNull();
});

test('without callbacks, a withdrawal is found completed, and one that failed is found failed', async () => {
  must(await ada.api.POST('/bank-details', { body: gbp }));
  for (const [amount, end] of [
    [1_000, 'completed'],
    [1_313, 'failed'],
  ] as const) {
    const { id } = must(await ada.api.POST('/withdraws', { body: { amount } }));
    await untilChecked('withdraw');
    const transaction = await until(
      async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })),
      ({ status }) => status === end,
    );
    expect(transaction.failureReason === null).toBe(end === 'completed');
  }
});

test('without callbacks, a payment whose user has closed the account is found completed', async () => {
  const id = await pay(ada, await quote(ada, 101));
  must(await ada.api.DELETE('/me'));
  const becomes = (wanted: string) =>
    until(
      () =>
        byTable(world.service.app.db)
          .selectFrom('pix_payments')
          .select('state')
          .where('id', '=', id)
          .executeTakeFirst(),
      (payment) => payment?.state === wanted,
    );
  await untilChecked('pix_payment');
  await becomes('paying');
  await untilChecked('pix_payment');
  expect(await becomes('completed')).toBeDefined();
});

test('no resource is polled once everything is final', async () => {
  const waiting = await byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select('handle')
    .where('next_poll_at', 'is not', null)
    .execute();
  expect(waiting).toEqual([]);
});

test('the polls of a resource are frequent at first, then less and less, and never end', () => {
  expect([0, 1, 2, 3, 4, 5, 500].map((polls) => pollDelayMs(polls) / 1_000)).toEqual([
    10, 30, 120, 600, 3_600, 3_600, 3_600,
  ]);
});

/** Waits until this many resources of the kind await a poll, and makes their polls due. */
async function untilChecked(
  kind: 'kyc' | 'provider_account' | 'pix_payment' | 'withdraw',
  count = 1,
): Promise<void> {
  await until(
    () =>
      byTable(world.service.app.db)
        .selectFrom('provider_resources')
        .select('handle')
        .where('subject_kind', '=', kind)
        .where('next_poll_at', 'is not', null)
        .execute(),
    (waiting) => waiting.length === count,
  );
  await makePollsDue(world, 'subject_kind', kind);
}
