// The auditor finds nothing wrong in a world where nothing is, and finds each wrong that is done to its books: one row
// changed, deleted or doubled at a time, on our side or the provider's.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { audit, type Finding } from '../../proof/audit/audit.ts';
import {
  type AcknowledgedCallback,
  acknowledgedCallback,
  type ClientOrder,
  type Evidence,
} from '../../proof/audit/evidence.ts';
import { invariants } from '../../proof/audit/invariants/index.ts';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createPool } from '../../src/database/pool.ts';
import { places } from '../../src/sealing/places.ts';
import { withDatabase } from '../support/database.global.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { jobsIn } from '../support/queue.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let folder: string;
let evidence: Evidence;
/** By what became of them. */
let payments: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-audit-'));
  world = await startWorld({
    env: { USDC_ACCOUNTS_ENABLED: 'true' },
    sandbox: { data: join(folder, 'sandbox') },
  });
  const ada = await verified(world, { deposit: '1000.00' });
  must(await ada.api.POST('/bank-details', { body: bankDetails }));
  const orders: ClientOrder[] = [];
  payments = {
    twoHop: await story(ada, orders, 10, 'completed'),
    refunded: await story(ada, orders, 6.66, 'refunded'),
  };
  world.service.app.config.usdcAccountsEnabled = false;
  payments = {
    ...payments,
    direct: await story(ada, orders, 20, 'completed'),
    failed: await story(ada, orders, 6.66, 'failed'),
    payoutFailed: await story(ada, orders, 30, 'payout_failed', 'fail@pix.example'),
    returned: await story(ada, orders, 40, 'manual_review', 'return@pix.example'),
  };
  await withdraw(ada, orders, 1_000, 'completed');
  await withdraw(ada, orders, 1_313, 'failed');
  await until(
    () => jobsIn(world),
    (jobs) => jobs.length === 0,
  );
  evidence = {
    acknowledgedFile: linesIn('acknowledged.jsonl', await callbacksStored()),
    ordersFile: linesIn('orders.jsonl', orders),
    restedAfterMs: 1_000,
  };
  // The books are copied for each tampering, which needs that nobody holds them open.
  await world.service.stop();
  await world.stopSandbox();
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('finds nothing wrong in a finished world, and has looked at something for every invariant', async () => {
  const findings = await audit(world.databaseUrl, join(folder, 'sandbox'), evidence);
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
  expect(findings.map(({ invariant }) => invariant)).toEqual(invariants.map(({ name }) => name));
});

type Tampering = { invariant: string; ours?: string; theirs?: string; told?: Evidence };

/** `$twoHop` and the like stand for the payments of the story. */
const tamperings: Tampering[] = [
  {
    invariant: 'money is conserved, per user and currency',
    theirs: `update ledger_accounts set balance = balance + 1 where name = 'margin:GBP'`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    theirs: `update ledger_entries set amount = amount + 1 where seq = 1`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    ours: `update transitions set event_data = event_data || '{"sourceAmountMinor": 1}' where event = 'direct.completed'`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    ours: `update transactions set source_amount_minor = source_amount_minor + 1 where type = 'deposit'`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    theirs: `insert into movements (uuid, account_uuid, direction, kind, amount, currency, source_reference, created_at)
      select 'twice', account_uuid, direction, kind, amount, currency, source_reference, created_at
      from movements where kind = 'PAYOUT' and direction = 'DEBIT' limit 1`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    theirs: `insert into movements (uuid, account_uuid, direction, kind, amount, currency, source_reference, created_at)
      select 'twice', account_uuid, direction, kind, amount, currency, source_reference, created_at
      from movements where kind = 'INTERNAL_TRANSFER' and direction = 'DEBIT' limit 1`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    ours: `alter table pix_payments drop constraint pix_payments_quote_id_unique;
      update pix_payments set quote_id = (select quote_id from pix_payments where id = '$direct') where id = '$twoHop'`,
  },
  {
    invariant: 'completed exactly when the merchant received the amount',
    theirs: `update payouts set amount = amount - 1 where rail = 'PIX' and status = 'COMPLETED'`,
  },
  {
    invariant: 'completed exactly when the merchant received the amount',
    ours: `update pix_payments set state = 'payout_failed' where id = '$direct'`,
  },
  {
    invariant: 'completed exactly when the merchant received the amount',
    ours: `update withdraws set state = 'completed' where state = 'failed'`,
  },
  {
    invariant: 'refunded restores the home account to the minor unit',
    theirs: `update movements set amount = amount - 1
      where currency = 'GBP' and kind = 'INTERNAL_TRANSFER' and direction = 'CREDIT'`,
  },
  {
    invariant: 'refunded restores the home account to the minor unit',
    theirs: `update transfers set destination_amount = destination_amount - 1 where source_account_uuid in
      (select uuid from accounts where currency = 'USDC')`,
  },
  {
    invariant: 'failed means nothing moved',
    theirs: `delete from movements where kind = 'INTERNAL_TRANSFER' and direction = 'CREDIT' and currency = 'GBP'`,
  },
  {
    invariant: 'failed means nothing moved',
    ours: `update pix_payments set state = 'failed' where id = '$returned'`,
  },
  {
    invariant: 'our states equal the provider’s',
    ours: `update pix_payments set state = 'manual_review' where id = '$direct'`,
  },
  {
    invariant: 'our states equal the provider’s',
    theirs: `update payouts set status = 'REFUNDED' where status = 'COMPLETED'`,
  },
  { invariant: 'our states equal the provider’s', ours: `update kyc_verifications set state = 'failed'` },
  {
    invariant: 'no object without a row, no row without its object',
    ours: `delete from provider_resources where subject_id = '$direct' and kind = 'payout'`,
  },
  {
    invariant: 'no object without a row, no row without its object',
    ours: `update provider_resources set provider_ref = null where subject_id = '$direct'`,
  },
  {
    invariant: 'no object without a row, no row without its object',
    theirs: `delete from payouts where status = 'COMPLETED'`,
  },
  {
    invariant: 'no object without a row, no row without its object',
    theirs: `update payouts set origin_id = 'b2f50df0-0000-4000-8000-000000000000' where rail = 'FPS' and amount = 1000`,
  },
  {
    invariant: 'an acknowledged callback is on disk',
    ours: `delete from webhook_events where id = (select max(id::text)::uuid from webhook_events)`,
  },
  {
    invariant: 'no effect without a decision, no decision without its effect',
    ours: `delete from effects where type = 'startPayout' and subject_id = '$direct'`,
  },
  {
    invariant: 'no effect without a decision, no decision without its effect',
    ours: `update effects set seq = seq + 7 where type = 'startPayout' and subject_id = '$direct'`,
  },
  {
    invariant: 'no effect without a decision, no decision without its effect',
    ours: `delete from transitions where subject_id = '$direct' and seq = 2`,
  },
  {
    invariant: 'ends never go back',
    ours: `insert into transitions select subject_kind, subject_id, seq + 1, user_id, 'completed', 'paying', 'retry',
        event_data, cause_kind, cause_id, at from transitions where subject_id = '$direct' and to_state = 'completed'`,
  },
  {
    invariant: 'the transaction agrees with its payment',
    ours: `update transactions set status = 'pending' where type = 'payment' and status = 'completed'`,
  },
  {
    invariant: 'the transaction agrees with its payment',
    ours: `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
      select gen_random_uuid(), user_id, 'withdraw', 'completed', 'GBP', 1, provider, created_at from transactions limit 1`,
  },
  {
    invariant: 'every deposit exactly once',
    ours: `delete from transactions where type = 'deposit'`,
  },
  {
    invariant: 'every deposit exactly once',
    ours: `alter table transactions drop constraint transactions_provider_ref_unique;
      insert into transactions select gen_random_uuid(), user_id, type, status, source_currency, source_amount_minor,
        dest_currency, dest_amount_minor, fx_rate, provider, provider_ref, failure, created_at, completed_at
      from transactions where type = 'deposit'`,
  },
  {
    invariant: 'every deposit exactly once',
    theirs: `delete from movements where kind = 'DEPOSIT'`,
  },
  {
    invariant: 'every answer that clients were given is kept',
    ours: `delete from pix_payments where id = '$failed'`,
  },
  {
    invariant: 'everything has come to rest, and in time',
    ours: `update effects set status = 'ordered' where type = 'startPayout'`,
  },
  {
    invariant: 'everything has come to rest, and in time',
    ours: `select graphile_worker.add_job('runEffect', '{}')`,
  },
  {
    invariant: 'everything has come to rest, and in time',
    ours: `select graphile_worker.add_job('runEffect', '{}', run_at := now() + interval '1 hour', job_key := 'effect:1')`,
  },
  {
    invariant: 'everything has come to rest, and in time',
    ours: `select graphile_worker.add_job('reconcile', '{}', job_key := 'reconcile')`,
  },
  { invariant: 'everything has come to rest, and in time', told: { restedAfterMs: 61_000 } },
  { invariant: 'everything has come to rest, and in time', told: { restedAfterMs: null } },
];

describe.concurrent('finds', () => {
  it.each(tamperings.map((tampering, index) => ({ ...tampering, index })))(
    '$invariant: $ours$theirs',
    async (tampering) => {
      const findings = await auditAfter(tampering);
      const found = findings.find(({ invariant }) => invariant === tampering.invariant);
      expect(found?.violations).not.toEqual([]);
    },
  );

  it('nothing in what a nightly job has entered for later', async () => {
    const ours = `select graphile_worker.add_job(
      'reconcile', '{}', run_at := now() + interval '1 hour', job_key := 'reconcile')`;
    const findings = await auditAfter({ invariant: '', ours, index: tamperings.length });
    expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('an answer that a client was given and that no row stands behind', async () => {
    const answers = [{ status: 201, id: 'b2f50df0-0000-4000-8000-000000000000' }];
    const order = {
      kind: 'payment',
      userId: 'x',
      key: 'quote_x',
      amountMinor: 1,
      answers,
    } satisfies ClientOrder;
    const findings = await audit(world.databaseUrl, join(folder, 'sandbox'), {
      ordersFile: linesIn('invented.jsonl', [order]),
    });
    expect(findings.filter(({ violations }) => violations.length > 0)).toMatchObject([
      { invariant: 'every answer that clients were given is kept' },
    ]);
  });

  it('something wrong for every invariant: none is left untried', () => {
    const tried = new Set(tamperings.map(({ invariant }) => invariant));
    expect(invariants.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

async function auditAfter({ ours, theirs, told, index }: Tampering & { index: number }): Promise<Finding[]> {
  const admin = createPool(inject('databaseServerUrl'), 1, noDeadlines);
  const name = `audit_${process.pid}_${index}`;
  const sandbox = join(folder, `sandbox-${index}`);
  const url = withDatabase(world.databaseUrl, name);
  try {
    await admin.query(`create database ${name} template ${new URL(world.databaseUrl).pathname.slice(1)}`);
    cpSync(join(folder, 'sandbox'), sandbox, { recursive: true });
    if (ours !== undefined) {
      const pool = createPool(url, 1);
      // What a tampering hand does not ask for leave.
      await pool.query('set session_replication_role = replica');
      await pool.query(ours.replaceAll(/\$(\w+)/g, (_, key: string) => payments[key] ?? key));
      await pool.end();
    }
    if (theirs !== undefined) {
      const store = new DatabaseSync(join(sandbox, 'sandbox.sqlite'));
      store.exec(theirs);
      store.close();
    }
    return await audit(url, sandbox, { ...evidence, ...told });
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

const bankDetails = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '12345678',
  sortCode: '12-34-56',
} as const;

async function story(
  ada: Person,
  orders: ClientOrder[],
  amountBrl: number,
  end: 'completed' | 'failed' | 'refunded' | 'payout_failed' | 'manual_review',
  pixKey = 'shop@example.com',
): Promise<string> {
  const quoted = await quote(ada, amountBrl);
  const id = await pay(ada, quoted, { pixKey, pixKeyType: 'email' });
  const again = await pay(ada, quoted, { pixKey, pixKeyType: 'email' });
  orders.push({
    kind: 'payment',
    userId: ada.userId,
    key: quoted.quoteId,
    amountMinor: Math.round(amountBrl * 100),
    pixKey,
    answers: [
      { status: 201, id },
      { status: 200, id: again },
    ],
  });
  await reaches(ada, id, end);
  return id;
}

async function withdraw(ada: Person, orders: ClientOrder[], amount: number, end: string): Promise<void> {
  const { id } = must(await ada.api.POST('/withdraws', { body: { amount } }));
  orders.push({
    kind: 'withdraw',
    userId: ada.userId,
    key: null,
    amountMinor: amount,
    answers: [{ status: 201, id }],
  });
  await until(
    async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === end,
  );
}

/** As whoever stands between would have seen them. */
async function callbacksStored(): Promise<AcknowledgedCallback[]> {
  const { db, sealer } = world.service.app;
  const rows = await db.selectFrom('webhook_events').selectAll().execute();
  return Promise.all(
    rows.map(async (row) => {
      const place = places.webhookPayload(row.id, row.received_at);
      return acknowledgedCallback(Buffer.from(await sealer.openBytes(place, row.payload_sealed)));
    }),
  );
}

function linesIn(name: string, lines: object[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}
