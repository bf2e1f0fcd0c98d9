// The reference service of the benchmark really makes payments: each payment completes, and is made once.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReferencePayer } from '../../bench/reference/payments/people.ts';
import { createReferenceServer } from '../../bench/reference/payments/server.ts';
import { createTables } from '../../bench/reference/payments/tables.ts';
import { createProvider, type Payout, type Provider, type Transfer } from '../../bench/reference/provider.ts';
import { createRowPool } from '../../bench/reference/query.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const SECRET = 'a-secret-of-the-reference';

let database: TestDatabase;
let db: Pool;
let sandbox: Sandbox;
let provider: Provider;
let server: Server;
let url: string;
let token: string;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([
    createEmptyDatabase(),
    startSandbox({ settleMs: 0, activateMs: 0 }),
  ]);
  db = createRowPool(database.url);
  await createTables(db);
  provider = createProvider({ ...sandbox, baseUrl: sandbox.url });
  // The address must be known before the server can be made.
  let app: Express | undefined;
  server = createServer((request, response) => app?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const callbackUrl = `${url}/webhooks/provider/${SECRET}`;
  app = createReferenceServer({ db, provider, callbackUrl, webhookSecret: SECRET, sessionSecret: SECRET });
  token = await makeReferencePayer({ url, sandboxUrl: sandbox.url, provider, callbackUrl }, 'Ada');
});

afterAll(async () => {
  await sandbox.close();
  server.closeAllConnections();
  server.close();
  await provider.close();
  await db.end();
  await database.drop();
});

type Body = Record<string, string | number | null>;

async function ask(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const quoteOf = async (amountBrl: number) => (await ask('POST', '/pix/quote', { amountBrl })).body['quoteId'];
const confirm = (quoteId: unknown, pixKey = '529.982.247-25') =>
  ask('POST', '/pix/payments', { quoteId, pixKey, pixKeyType: 'cpf' });
const ends = (id: unknown) =>
  until(
    () => ask('GET', `/pix/payments/${String(id)}`),
    ({ body }) => body['status'] === 'completed',
  );
const foundAt = async <One>(path: string, id: unknown): Promise<One[]> =>
  (await provider.get<{ results: One[] }>(`/v1/${path}/?origin_id=${String(id)}`)).results;

const countOf = async (table: 'callbacks' | 'payments'): Promise<number> =>
  Number((await db.query(`select count(*) as n from ${table}`)).rows[0].n);

const send = (secret: string, callback: object) => ask('POST', `/webhooks/provider/${secret}`, callback);

test('the reference commits a payment before it answers, and completes it with one transfer and one payout', async () => {
  const { status, body } = await confirm(await quoteOf(50));
  const { pixPaymentId: id, transactionId } = body;
  expect([status, body['status']]).toEqual([201, 'converting']);
  expect((await db.query('select 1 from payments where id = $1', [id])).rowCount).toBe(1);
  const { body: shown } = await ends(id);
  const [transfer, payout] = [
    await foundAt<Transfer>('internal_transfers', id),
    await foundAt<Payout>('payouts', id),
  ];
  expect(transfer.map((one) => [one.status, one.destination_amount])).toEqual([['COMPLETED', '50.00']]);
  expect(payout.map((one) => [one.status, one.amount])).toEqual([['COMPLETED', '50.00']]);
  expect(shown).toMatchObject({
    transactionId,
    amountBrl: '50.00',
    endToEndId: payout[0]?.end_to_end_id,
    voucherId: payout[0]?.voucher_id,
  });
  const { rows } = await db.query('select status, completed_at from transactions where id = $1', [
    transactionId,
  ]);
  expect(rows).toEqual([{ status: 'completed', completed_at: expect.any(Date) }]);
});

test.each(['createInternalTransfer', 'createPayout'])(
  'the reference makes a payment once if the answer to %s is lost',
  async (operation) => {
    const order = { operation, fault: 'dropped' };
    const response = await fetch(`${sandbox.url}/sandbox/fault-injection/next`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
    expect(response.ok).toBe(true);
    const { body } = await confirm(await quoteOf(20));
    await ends(body['pixPaymentId']);
    expect(await foundAt('internal_transfers', body['pixPaymentId'])).toHaveLength(1);
    expect(await foundAt('payouts', body['pixPaymentId'])).toHaveLength(1);
  },
);

test('the reference refuses a payment whose quote was used before', async () => {
  const quoteId = await quoteOf(30);
  const first = await confirm(quoteId);
  const before = await countOf('payments');
  const second = await confirm(quoteId);
  expect([second.status, second.body['code']]).toEqual([409, 'quote_already_used']);
  expect(await countOf('payments')).toBe(before);
  await ends(first.body['pixPaymentId']);
});

test('the reference refuses a payment that the balance does not cover', async () => {
  const { status, body } = await confirm(await quoteOf(90_000_000));
  expect([status, body['code']]).toEqual([422, 'insufficient_funds']);
});

test('the reference stores a callback once, before it acknowledges it', async () => {
  const { body } = await confirm(await quoteOf(40));
  await ends(body['pixPaymentId']);
  const [payout] = await foundAt<Payout>('payouts', body['pixPaymentId']);
  const callback = { event: 'payout.updated', data: payout ?? {}, updated_at: new Date().toISOString() };
  const before = await countOf('callbacks');
  const answers = [await send(SECRET, callback), await send(SECRET, callback)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await countOf('callbacks')).toBe(before + 1);
  await until(
    async () => (await db.query(`select 1 from callbacks where status = 'received'`)).rowCount,
    (count) => count === 0,
  );
  expect((await ends(body['pixPaymentId'])).body['voucherId']).toBe(payout?.voucher_id);
});

test('the reference answers 404 to a callback under another secret', async () => {
  expect((await send('another', { event: 'payout.updated', data: {} })).status).toBe(404);
});

test('the reference refuses requests without a session', async () => {
  const { body } = await confirm(await quoteOf(60));
  const mine = token;
  token = `${mine.split('.')[0]}.another-signature`;
  expect((await ask('GET', `/pix/payments/${body['pixPaymentId']}`)).status).toBe(401);
  token = mine;
  await ends(body['pixPaymentId']);
});
