// Answers that are lost between the service and the client. The service has executed the request, and the client finds out with the
// key of the error, without a second withdrawal, payment or request.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { createPonte, type Ponte, PonteUnreachable } from '../../packages/client/src/index.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { type DroppingProxy, startDroppingProxy } from '../support/dropping-proxy.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const TRIES = 2;

let proxy: DroppingProxy;
let person: Person;
/** The app of the same user, behind the network that loses answers. */
let ponte: Ponte;

const { world } = useWorld();
beforeAll(async () => {
  proxy = await startDroppingProxy(world.url);
  person = await verified(world, { deposit: '500.00' });
  await person.ponte.saveBankDetails(gbp);
});
beforeEach(() => {
  ponte = createPonte({ baseUrl: proxy.url, sessionToken: person.token, tries: TRIES, timeoutMs: 300_000 });
});
afterAll(async () => {
  await proxy.stop();
});

/**
 * Loses the answers of all tries.
 * @returns the error that the app gets, with its key.
 */
async function lose(request: string, call: () => Promise<unknown>): Promise<{ idempotencyKey: string }> {
  proxy.drop(request, TRIES);
  const error = await call().catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(PonteUnreachable);
  const { idempotencyKey, message, mayHaveActed } = error as PonteUnreachable;
  expect([proxy.dropped(), mayHaveActed]).toEqual([TRIES, true]);
  expect(message).toContain('idempotencyKey');
  return { idempotencyKey: idempotencyKey ?? 'the error has no key' };
}

test('a withdrawal whose answers were lost is found by the key of the error, and made once', async () => {
  const key = await lose('POST /withdraws', () => ponte.withdraw(1_000));
  const made = await all(person.ponte.withdraws());
  expect(made).toHaveLength(1);
  expect(await ponte.withdraw(1_000, key)).toMatchObject({ id: made[0]?.id });
  expect(await all(person.ponte.withdraws())).toHaveLength(1);
});

test("a withdrawal under the app's own key has this key in its error", async () => {
  const before = (await all(person.ponte.withdraws())).length;
  const key = { idempotencyKey: randomUUID() };
  expect(await lose('POST /withdraws', () => ponte.withdraw(2_000, key))).toEqual(key);
  await ponte.withdraw(2_000, key);
  expect(await all(person.ponte.withdraws())).toHaveLength(before + 1);
});

test('a data request whose answers were lost is found by the key of the error, and made once', async () => {
  const key = await lose('POST /me/data-request', () => ponte.requestData({ type: 'access' }));
  const { id } = await ponte.requestData({ type: 'access' }, key);
  const rows = await byTable(world.service.app.db).selectFrom('data_requests').select('id').execute();
  expect(rows).toEqual([{ id }]);
});

test('a retry whose answers were lost is found by the key of the error, and pays once', async () => {
  const recoverable = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(person, await quote(person, 10), recoverable);
  await reaches(person, id, 'payout_failed');
  const key = await lose(`POST /pix/payments/${id}/retry`, () => ponte.retryPayment(id));
  await reaches(person, id, 'completed');
  expect((await ponte.retryPayment(id, key)).status).toBe('completed');
});

test('a payment whose answers were lost is found by the same call, because its quote is its key', async () => {
  const { quoteId } = await quote(person, 10);
  const to = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  proxy.drop('POST /pix/payments', TRIES);
  await expect(ponte.pay(to)).rejects.toMatchObject({ name: 'PonteUnreachable', idempotencyKey: null });
  const [made] = await all(person.ponte.payments());
  expect((await ponte.pay(to)).pixPaymentId).toBe(made?.id);
});
