// How the sandbox handles its own faults. The tests cause them by tampering with its data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createOwner,
  deposit,
  fpsBody,
  fundedWallet,
  ledger,
  payoutBecomes,
  type Schemas,
  startUpstream,
  type Upstream,
} from './support.ts';

let data: string;
let upstream: Upstream;
let logged: string[];
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'sandbox-'));
  logged = [];
  upstream = await startUpstream({ data, log: (line) => logged.push(line) });
});
afterEach(async () => {
  await upstream.close();
  rmSync(data, { recursive: true });
});

function tamper(sql: string): void {
  const database = new DatabaseSync(join(data, 'sandbox.sqlite'));
  database.exec(sql);
  database.close();
}

test('the sandbox answers 500 with the reason instead of breaking the contract', async () => {
  const { uuid } = await createOwner(upstream);
  tamper(`update owners set status = 'ODD'`);
  const reply = await upstream.get(`/v1/accounts/owners/${uuid}/`);
  expect(reply).toMatchObject({ status: 500, body: { code: 'contract_broken' } });
  expect(logged.join()).toContain('getOwner broke the contract');
});

test('a planned step that cannot be done does not block the others', async () => {
  const wallet = await fundedWallet(upstream);
  tamper(`insert into settlements (due_at, task, uuid, detail) values (0, 'payout', 'nobody', '{}')`);
  const { body } = await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '2.00'));
  await payoutBecomes(upstream, body.uuid, 'COMPLETED');
  expect(logged.join()).toContain('payout of nobody failed');
});

test.each([
  ['a changed balance', `update ledger_accounts set balance = balance + 1 where name like 'customer:%'`],
  ['a changed entry', 'update ledger_entries set amount = amount + 1 where seq = 1'],
  ['a deleted entry', 'delete from ledger_entries where seq = 1'],
])('the proof of the ledger fails with %s', async (_what, sql) => {
  const { home } = await fundedWallet(upstream);
  await deposit(upstream, home, '3.00');
  expect((await ledger(upstream)).balanced).toBe(true);
  tamper(sql);
  expect((await ledger(upstream)).balanced).toBe(false);
});
