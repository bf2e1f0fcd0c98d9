import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  fpsBody,
  fundedWallet,
  type Ledger,
  type Listener,
  ledger,
  listen,
  payoutBecomes,
  readAccount,
  readPayout,
  type Schemas,
  startUpstream,
  until,
} from './support.ts';

let data: string;
let listener: Listener;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'sandbox-'));
  listener = await listen();
});
afterEach(async () => {
  await listener.close();
  rmSync(data, { recursive: true });
});

test('the sandbox continues after a restart where it stopped', async () => {
  const before = await startUpstream({ data });
  const wallet = await fundedWallet(before);
  await before.close();

  const slow = await startUpstream({ data, settleMs: 60_000 });
  const body = { ...fpsBody(wallet, '40.00'), callback_url: listener.url };
  const { body: payout } = await slow.post<Schemas['Payout']>('/v1/payouts/', body);
  const keys = await keysOf(slow.url);
  await slow.close();
  expect(listener.received).toEqual([]);

  let clockOffsetMs = 0;
  const after = await startUpstream({ data, now: () => Date.now() + clockOffsetMs });
  expect((await readPayout(after, payout.uuid)).status).toBe('PENDING');
  clockOffsetMs = 60_000;
  await after.post('/v1/payouts/', fpsBody(wallet, '1.00'));
  await payoutBecomes(after, payout.uuid, 'COMPLETED');
  await until(
    () => listener.received.length,
    (length) => length === 1,
  );
  expect((await after.post<Schemas['Payout']>('/v1/payouts/', body)).body.uuid).toBe(payout.uuid);
  expect((await readAccount(after, wallet.home.uuid)).balance).toBe('959.00');
  expect(await keysOf(after.url)).toEqual(keys);
  expect(await ledger(after)).toMatchObject({ balanced: true });
  await after.close();
});

test('a store of version 1.1.0 keeps its movements and gets new ones', async () => {
  const before = await startUpstream({ data });
  const wallet = await fundedWallet(before);
  await before.close();
  const store = new DatabaseSync(join(data, 'sandbox.sqlite'));
  store.exec('alter table movements drop column named_as');
  store.close();

  const after = await startUpstream({ data });
  await after.post('/v1/payouts/', fpsBody(wallet, '1.00'));
  const path = `/v1/accounts/${wallet.home.uuid}/movements/`;
  expect((await after.get<Schemas['MovementPage']>(path)).body.results).toMatchObject([
    { kind: 'DEPOSIT' },
    { kind: 'PAYOUT' },
  ]);
  await after.close();
});

test('the sandbox keeps every answered write when it is killed, and stops on a signal', async () => {
  const prepared = await startUpstream({ data });
  const wallet = await fundedWallet(prepared);
  await prepared.close();

  const killed = await startProcess();
  const payouts = await Promise.all(
    Array.from({ length: 20 }, () =>
      send<Schemas['Payout']>(killed.url, '/v1/payouts/', fpsBody(wallet, '1.00')),
    ),
  );
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');

  const again = await startProcess();
  for (const { uuid } of payouts) {
    const read = () => send<Schemas['Payout']>(again.url, `/v1/payouts/${uuid}/`);
    await until(read, ({ status }) => status === 'COMPLETED');
  }
  const books = await send<Ledger>(again.url, '/sandbox/ledger');
  expect(books.balanced).toBe(true);
  expect(books.accounts).toContainEqual({
    account: `customer:${wallet.home.uuid}`,
    currency: 'GBP',
    balance: '980.00',
  });
  again.process.kill('SIGTERM');
  expect(await once(again.process, 'exit')).toEqual([0, null]);
});

test('the sandbox reports all invalid settings together', async () => {
  const child = spawn(process.execPath, ['sandbox/main.ts'], {
    env: { ...process.env, SANDBOX_PORT: 'here', SANDBOX_SETTLE_MS: '-1' },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toMatch(/SANDBOX_PORT[\s\S]*SANDBOX_SETTLE_MS/);
  expect(said).not.toMatch(/\n\s+at /);
});

async function startProcess(): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['sandbox/main.ts'], {
    env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_DATA: data, SANDBOX_SETTLE_MS: '50' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { process: child, url: /http\S+/.exec(line.toString())?.[0] ?? '' };
}

async function send<Body>(url: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(url + path, {
    headers: {
      authorization: `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`,
      'x-company-id': 'sandbox-company',
      'content-type': 'application/json',
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await response.json()) as Body;
}

async function keysOf(url: string): Promise<unknown> {
  return (await fetch(`${url}/identity/a/jwks.json`)).json();
}
