// The provider is down: every operation that needs it is answered with 502 and leaves nothing behind. It works again when the
// provider is back.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import type { PixQuote } from '../../packages/client/src/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { growOlder } from '../support/outbox.ts';
import { must, type Person, pay, quote, reaches, refusalIn, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const down = [502, 'provider_unavailable'];
const data = mkdtempSync(join(tmpdir(), 'ponte-upstream-'));
let world: World;
let back: Sandbox | undefined;
let ada: Person;
let bea: Person;
let cy: Person;
let used: PixQuote;
let unused: PixQuote;

beforeAll(async () => {
  const port = await freePort();
  world = await startWorld({ sandbox: { port, data } });
  ada = await verified(world, { deposit: '100.00' });
  [bea, cy] = await Promise.all([signUp(world), signUp(world)]);
  must(await ada.api.POST('/bank-details', { body: gbp }));
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  must(await cy.api.POST('/kyc/start', {}));
  [used, unused] = await Promise.all([quote(ada, 10), quote(ada, 20)]);
  await reaches(ada, await pay(ada, used), 'completed');
  const { id } = must(await withdraw(100));
  await until(
    async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === 'completed',
  );
  await world.stopSandbox();
  // The cached balance is too old to be used from here on.
  await growOlder(world, 15_000);
});
afterAll(async () => {
  await world.stop();
  await back?.close();
  rmSync(data, { recursive: true });
});

const confirm = ({ quoteId }: PixQuote) =>
  ada.api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } });
const withdraw = (amount: number) => ada.api.POST('/withdraws', { body: { amount } });

const tables = ['pix_quotes', 'pix_payments', 'withdraws', 'transactions', 'effects', 'transitions'] as const;
const countRows = () =>
  Promise.all(
    tables.map(
      async (table) =>
        (await byTable(world.service.app.db).selectFrom(table).select('user_id').execute()).length,
    ),
  );

test.each([
  ['GET /me', () => ada.api.GET('/me')],
  ['POST /pix/quote', () => ada.api.POST('/pix/quote', { body: { amountBrl: 10 } })],
  ['POST /pix/payments', () => confirm(unused)],
  ['POST /withdraws', () => withdraw(200)],
  ['GET /kyc/status', () => cy.api.GET('/kyc/status')],
  ['a repeated POST /kyc/start', () => cy.api.POST('/kyc/start', {})],
])('%s is answered with 502 and leaves nothing behind', async (_what, ask) => {
  const before = await countRows();
  expect(refusalIn(await ask())).toEqual(down);
  expect(await countRows()).toEqual(before);
});

test('requests that were accepted before are still answered', async () => {
  const [payment, withdrawn] = await Promise.all([confirm(used), withdraw(100)]);
  expect([payment.response.status, withdrawn.response.status]).toEqual([200, 200]);
});

test('operations that do not need the provider work', async () => {
  expect(must(await bea.api.GET('/me')).balance).toEqual({ currency: 'GBP', amount: 0 });
  expect(must(await bea.api.GET('/kyc/status')).status).toBe('pending');
  expect(must(await ada.api.GET('/transactions')).length).toBe(3);
  expect(
    (await ada.api.POST('/bank-details', { body: { ...gbp, accountNumber: '00000001' } })).response.ok,
  ).toBe(true);
});

test('every refused request can be repeated when the provider is back', async () => {
  const start = () => bea.api.POST('/kyc/start', {});
  expect(refusalIn(await start())).toEqual(down);
  expect(must(await bea.api.GET('/me')).kyc.status).toBe('pending');

  back = await startSandbox({
    port: Number(new URL(world.sandboxUrl).port),
    data,
    settleMs: 0,
    activateMs: 0,
    log: () => undefined,
  });
  // If the circuit has opened meanwhile, a probe has to close it first.
  const started = await until(start, ({ response }) => response.status !== 502);
  expect(must(started).verificationUrl).toContain('/verify/');
  expect(must(await ada.api.GET('/me')).balance?.amount).toBe(10_000 - used.sourceAmount - 100);
  const paid = await confirm(unused);
  expect(paid.response.status).toBe(201);
  await reaches(ada, must(paid).pixPaymentId, 'completed');
  expect((await withdraw(200)).response.status).toBe(201);
});
