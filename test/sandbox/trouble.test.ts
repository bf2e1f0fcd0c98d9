// How the sandbox handles faults of its own, made here by tampering with its data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

it('answers 500, and says why, rather than break the contract', async () => {
  const { uuid } = await createOwner(upstream);
  tamper(`update owners set status = 'ODD'`);
  const reply = await upstream.get(`/v1/accounts/owners/${uuid}/`);
  expect(reply).toMatchObject({ status: 500, body: { code: 'contract_broken' } });
  expect(logged.join()).toContain('getOwner broke the contract');
});

it('is not held up by a step that cannot be done', async () => {
  const wallet = await fundedWallet(upstream);
  tamper(`insert into settlements (due_at, task, uuid, detail) values (0, 'payout', 'nobody', '{}')`);
  const { body } = await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '2.00'));
  await payoutBecomes(upstream, body.uuid, 'COMPLETED');
  expect(logged.join()).toContain('payout of nobody failed');
});

it.each([
  ['a balance', `update ledger_accounts set balance = balance + 1 where name like 'customer:%'`],
  ['one entry', 'update ledger_entries set amount = amount + 1 where seq = 1'],
  ['a lost entry', 'delete from ledger_entries where seq = 1'],
])('shows that its books are wrong when %s was changed', async (_what, sql) => {
  const { home } = await fundedWallet(upstream);
  await deposit(upstream, home, '3.00');
  expect((await ledger(upstream)).balanced).toBe(true);
  tamper(sql);
  expect((await ledger(upstream)).balanced).toBe(false);
});
