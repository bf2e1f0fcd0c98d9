// A client that got no answer repeats its request after the database was restored from a backup that lacks it. The money leaves once.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { adopt, listOrphans } from '../../ops/recovery/recovery.ts';
import { ops } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { forget } from '../support/forget.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, type Person, pay, quote, reaches, refusalIn, verified, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '1000.00' });
/** Saves the bank details. */
beforeAll(() => withdraw(ada, 100));

const withdrawUnder = ({ api }: Person, key: string, amount: number) =>
  api.POST('/withdraws', { body: { amount }, params: { header: { 'Idempotency-Key': key } } });

const confirm = ({ api }: Person, { quoteId }: { quoteId: string }) =>
  api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } });

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

test('a confirmation that is repeated after the payment was adopted without its recipient returns the payment', async () => {
  await ops(world, 'effects', 'pause', 'startPayout', '--reason', 'a drill');
  const offer = await quote(ada, 36);
  const id = await pay(ada, offer);
  const { transactionId } = await until(
    () => ada.ponte.payment(id),
    ({ status }) => status === 'paying',
  );
  await forget(world, { id, transactionId }, { hasQuote: true });

  expect(await recover()).toEqual([id]);
  expect(await pay(ada, offer)).toBe(id);
  expect(await ada.ponte.payment(id)).toMatchObject({ status: 'manual_review' });
  await ops(world, 'effects', 'resume', 'startPayout', '--reason', 'a drill');
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

const partsOf = (paymentId: string) =>
  byTable(world.service.app.db)
    .selectFrom('payout_refunds')
    .selectAll()
    .where('payment_id', '=', paymentId)
    .execute();
const convertPart = async (paymentId: string, movement: string) =>
  (await ops(world, 'payments', 'return', paymentId, '--partial', movement, '--reason', 'ticket 4720')).code;
const convertedPart = (paymentId: string) =>
  until(
    () => partsOf(paymentId),
    ([row]) => row?.state === 'converted',
  );

/** Returns a payment whose part came back and was converted. */
async function withPart(cleo: Person) {
  const offer = await quote(cleo, 100);
  const payment = await reaches(cleo, await pay(cleo, offer), 'completed');
  await outboxEmpties(world);
  const [payout] = await payoutsOf(world, payment.id);
  await fetch(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/refund-part`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '40.00' }),
  });
  const [waiting] = await until(
    () => partsOf(payment.id),
    ({ length }) => length === 1,
  );
  const movement = waiting?.movement_ref ?? '';
  expect(await convertPart(payment.id, movement)).toBe(0);
  const [{ id, home_credit_minor } = { id: '', home_credit_minor: null }] = await convertedPart(payment.id);
  await outboxEmpties(world);
  return { offer, payment, movement, partId: id, credit: home_credit_minor };
}

const movements = async (cleo: Person) => [await movementsOf(cleo, 'GBP'), await movementsOf(cleo, 'BRL')];

/** Deletes what the conversion has left in the rows about the part. */
async function forgetConversion(partId: string) {
  const db = byTable(world.service.app.db);
  for (const table of ['provider_resources', 'effects'] as const)
    await db.deleteFrom(table).where('subject_id', '=', partId).execute();
  await db.deleteFrom('transitions').where('subject_id', '=', partId).where('seq', '>', 1).execute();
}

describe('a part of a payout that was converted after the backup', () => {
  test('is converted once, if the backup has the part', async () => {
    const cleo = await verified(world, { deposit: '100.00' });
    const { payment, movement, partId, credit } = await withPart(cleo);
    const before = await movements(cleo);
    await forgetConversion(partId);
    const lost = {
      attempt: 0,
      seq: 1,
      home_credit_minor: null,
      provider_quote_id: null,
      quote_life_ms: null,
    };
    await byTable(world.service.app.db)
      .updateTable('payout_refunds')
      .set({ state: 'waiting', ...lost, quoted_at: null })
      .where('id', '=', partId)
      .execute();

    expect(await recover()).toEqual([]);
    expect(await convertPart(payment.id, movement)).toBe(0);
    expect(await convertedPart(payment.id)).toMatchObject([{ attempt: 1, home_credit_minor: credit }]);
    expect(await movements(cleo)).toEqual(before);
  });

  test('is converted once, if the backup lacks the payment', async () => {
    const cleo = await verified(world, { deposit: '100.00' });
    const { offer, payment, movement, partId, credit } = await withPart(cleo);
    const before = await movements(cleo);
    await forgetConversion(partId);
    await byTable(world.service.app.db).deleteFrom('payout_refunds').where('id', '=', partId).execute();
    await byTable(world.service.app.db).deleteFrom('transitions').where('subject_id', '=', partId).execute();
    await forget(world, payment, { hasQuote: true });

    expect(await pay(cleo, offer)).toBe(payment.id);
    await until(
      () => partsOf(payment.id),
      ([row]) => row?.movement_ref === movement && row.state === 'waiting',
    );
    await reaches(cleo, payment.id, 'completed');
    expect(await convertPart(payment.id, movement)).toBe(0);
    expect(await convertedPart(payment.id)).toMatchObject([{ home_credit_minor: credit }]);
    expect(await movements(cleo)).toEqual(before);
  });
});

test('until the lists of the provider were compared nobody is promised money, and then nobody whose payment is missing', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const payment = await reaches(ada, await pay(ada, await quote(ada, 33)), 'completed');
  await outboxEmpties(world);
  await forget(world, payment);
  const [adas, beas] = [await quote(ada, 34), await quote(bea, 35)];
  await byTable(world.service.app.db)
    .updateTable('database_histories')
    .set({ server: 'a former server' })
    .execute();

  const refused = await confirm(bea, beas);
  expect(refusalIn(refused)).toEqual([503, 'recovery_underway']);
  expect(refused.response.headers.get('retry-after')).toBe('5');
  expect(refusalIn(await withdrawUnder(ada, randomUUID(), 100))).toEqual([503, 'recovery_underway']);

  await until(
    async () => (await confirm(bea, beas)).response.status,
    (status) => status === 201,
  );
  expect(refusalIn(await confirm(ada, adas))).toEqual([503, 'recovery_underway']);
  expect((await ops(world, 'status')).out).toMatch(/^Recovery\n.*1 person/m);

  await recover();
  await until(
    async () => (await confirm(ada, adas)).response.status,
    (status) => status === 201,
  );
});

test('an operator begins a recovery, which ends by itself, or when an operator says so', async () => {
  const begun = await ops(world, 'recovery', 'begin', '--reason', 'a snapshot of the disk');
  expect([begun.code, begun.out]).toEqual([0, expect.stringContaining('are refused')]);
  expect(refusalIn(await withdrawUnder(ada, randomUUID(), 100))).toEqual([503, 'recovery_underway']);
  await until(
    async () => (await withdrawUnder(ada, randomUUID(), 101)).response.status,
    (status) => status === 201,
  );
  expect((await ops(world, 'status')).out).toMatch(/^Recovery\n/m);

  // The second comparison is due in a quarter of an hour.
  await byTable(world.service.app.db)
    .updateTable('job_runs')
    .set({ due_at: new Date() })
    .where('job', '=', 'compare-lists')
    .where('finished_at', 'is', null)
    .execute();
  await until(
    async () => (await ops(world, 'status')).out,
    (out) => !/^Recovery\n/m.test(out),
  );
  expect((await ops(world, 'recovery', 'end', '--reason', 'again')).out).toContain(
    'No recovery is underway.',
  );

  await ops(world, 'recovery', 'begin', '--reason', 'once more');
  expect((await ops(world, 'recovery', 'end', '--reason', 'nothing is missing')).code).toBe(0);
  expect((await withdrawUnder(ada, randomUUID(), 102)).response.status).toBe(201);
});
