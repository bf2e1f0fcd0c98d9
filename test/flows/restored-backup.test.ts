// A client that got no answer repeats its request after the database was restored from a backup that lacks it. The money leaves once.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { adopt, listOrphans } from '../../ops/recovery/recovery.ts';
import { byTable } from '../support/by-table.ts';
import { forget } from '../support/forget.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, type Person, pay, quote, reaches, refusalIn, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '1000.00' });
/** Saves the bank details. */
beforeAll(() => withdraw(ada, 100));

const withdrawUnder = ({ api }: Person, key: string, amount: number) =>
  api.POST('/withdraws', { body: { amount }, params: { header: { 'Idempotency-Key': key } } });

const paidOut = ({ ponte }: Person, id: string) =>
  until(
    () => ponte.transaction(id),
    ({ status }) => status === 'completed',
  );

const debits = async (currency: 'GBP' | 'BRL', kind: string): Promise<number> =>
  (await movementsOf(ada, currency)).filter((movement) => movement.startsWith(`DEBIT ${kind}`)).length;

/** Adopts everything that only the provider has. */
async function recover(): Promise<(string | null)[]> {
  const { app } = world.service;
  const ids = [];
  for await (const orphan of listOrphans(app))
    ids.push((await adopt(app, orphan, { kind: 'operator', id: 'olga' })).id);
  return ids;
}

test('a confirmation that is repeated after the restore gets its payment back under the same id, and pays once', async () => {
  const offer = await quote(ada, 31);
  const payment = await reaches(ada, await pay(ada, offer), 'completed');
  await outboxEmpties(world);
  const before = [await debits('GBP', 'TRANSFER'), await debits('BRL', 'PAYOUT')];
  await forget(world, payment, { hasQuote: true });

  expect(await pay(ada, offer)).toBe(payment.id);
  const again = await reaches(ada, payment.id, 'completed');
  expect(again).toMatchObject({ transactionId: payment.transactionId, endToEndId: payment.endToEndId });
  await outboxEmpties(world);
  expect([await debits('GBP', 'TRANSFER'), await debits('BRL', 'PAYOUT')]).toEqual(before);
});

test('a confirmation that is repeated after the payment was adopted returns the payment', async () => {
  const offer = await quote(ada, 32);
  const payment = await reaches(ada, await pay(ada, offer), 'completed');
  await outboxEmpties(world);
  await forget(world, payment, { hasQuote: true });

  expect(await recover()).toEqual([payment.id]);
  expect(await pay(ada, offer)).toBe(payment.id);
  expect(await reaches(ada, payment.id, 'completed')).toMatchObject({ endToEndId: payment.endToEndId });
});

test('a withdrawal that is repeated under its key after the restore is paid out once', async () => {
  const key = randomUUID();
  const { id } = must(await withdrawUnder(ada, key, 500));
  await paidOut(ada, id);
  await outboxEmpties(world);
  const before = await debits('GBP', 'PAYOUT');
  await forget(world, { id });

  const { data, response } = await withdrawUnder(ada, key, 500);
  expect([response.status, data?.id]).toEqual([201, id]);
  await paidOut(ada, id);
  await outboxEmpties(world);
  expect(await debits('GBP', 'PAYOUT')).toBe(before);
});

test('a withdrawal that is repeated under its key after it was adopted is the adopted one', async () => {
  const key = randomUUID();
  const { id } = must(await withdrawUnder(ada, key, 600));
  await paidOut(ada, id);
  await outboxEmpties(world);
  const before = await debits('GBP', 'PAYOUT');
  await forget(world, { id });

  const [adopted] = await recover();
  const { data, response } = await withdrawUnder(ada, key, 600);
  expect([response.status, data?.id]).toEqual([200, adopted]);
  expect(refusalIn(await withdrawUnder(ada, key, 601))).toEqual([422, 'idempotency_key_reused']);
  await outboxEmpties(world);
  expect(await debits('GBP', 'PAYOUT')).toBe(before);
});

test('a key whose row was deleted for its age begins a new withdrawal', async () => {
  const key = randomUUID();
  const { id } = must(await withdrawUnder(ada, key, 700));
  await paidOut(ada, id);
  await byTable(world.service.app.db).deleteFrom('idempotency_keys').where('key', '=', key).execute();

  const { data, response } = await withdrawUnder(ada, key, 700);
  expect(response.status).toBe(201);
  expect(data?.id).not.toBe(id);
  expect(must(await withdrawUnder(ada, key, 700)).id).toBe(data?.id);
});
