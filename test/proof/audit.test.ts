// The auditor finds no violation in a correct world, and finds each violation planted in its books: one row changed, deleted or
// doubled at a time, on the service's side or the provider's.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { databaseAt } from '../../harness/database/query.ts';
import { audit, type Finding } from '../../proof/audit/audit.ts';
import type { Evidence } from '../../proof/audit/evidence.ts';
import { invariants } from '../../proof/audit/invariants/index.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import type { ClientJournal } from './client-journal.ts';
import { type FinishedWorld, finishWorld } from './finished-world.ts';
import { honestRaces } from './honest-races.ts';
import { discrepancyAbout, type Tampering } from './tampering.ts';
import { tamperings } from './tamperings.ts';

let finished: FinishedWorld;
let folder: string;
let unchanged: Copy;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-audit-'));
  finished = await finishWorld(join(folder, 'sandbox'));
  unchanged = await copyDatabase();
});
afterAll(async () => {
  await unchanged.drop();
  await finished.world.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the auditor finds no violation in a finished world, and checks something for every invariant', async () => {
  const { world, journal } = finished;
  const findings = await audit(world.databaseUrl, join(folder, 'sandbox'), evidenceOf(journal));
  expect(violationsIn(findings)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
  expect(findings.map(({ invariant }) => invariant)).toEqual(invariants.map(({ name }) => name));
});

describe.concurrent('violations', () => {
  test.each(tamperings.map((tampering) => ({ ...tampering, what: whatIsDone(tampering) })))(
    'the auditor finds a violation of "$invariant": $what',
    async (tampering) => {
      const findings = await auditAfter(tampering);
      const found = findings.find(({ invariant }) => invariant === tampering.invariant);
      expect(found?.violations).not.toEqual([]);
    },
  );

  test('the auditor is tried with a violation of every invariant', () => {
    const tried = new Set(tamperings.map(({ invariant }) => invariant));
    expect(invariants.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });

  test('the auditor finds an answer that a client received and that has no row', async () => {
    const answers = [{ sentAt: 1, answeredAt: 2, status: 201, id: 'b2f50df0-0000-4000-8000-000000000000' }];
    const findings = await auditAfter({
      journal: [
        'one answer',
        ({ orders }) =>
          orders.push({
            kind: 'payment',
            userId: 'x',
            key: 'quote_x',
            amountMinor: 1,
            costMinor: 1,
            answers,
          }),
      ],
    });
    expect(findings.filter(({ violations }) => violations.length > 0)).toMatchObject([
      { invariant: 'every accepted request has its row' },
    ]);
  });
});

describe.concurrent('legitimate differences', () => {
  test.each(honestRaces.map((race) => ({ ...race, what: whatIsDone(race) })))(
    'the auditor finds no violation of "$invariant": $what',
    async (race) => {
      const findings = await auditAfter(race);
      expect(findings.find(({ invariant }) => invariant === race.invariant)?.violations).toEqual([]);
    },
  );
});

describe.concurrent('discrepancies', () => {
  const vanished = discrepancyAbout('$direct', 'vanished');
  const object = 'every object has a row, and every row has its object';
  const money = 'money is conserved, per user and currency';
  const discrepancies = 'every open discrepancy has an explanation';

  test('the auditor lists a settled discrepancy, and reports no violation', async () => {
    const findings = await auditAfter({
      ours: discrepancyAbout('$direct', 'contradicted_state', 'their mistake'),
    });
    expect(violationsIn(findings)).toEqual([]);
    expect(listedIn(findings)).toMatchObject([{ what: expect.stringContaining('their mistake') as string }]);
  });

  test('the auditor lists a discrepancy that a provider fault explains, with its differences', async () => {
    const theirs = withFault('provider.vanished', 'delete from payouts where amount = 2000');
    const findings = await auditAfter({ ours: vanished, theirs });
    expect(violationsIn(findings)).toEqual([]);
    const { listed } = findingOf(findings, object);
    expect(listed).toMatchObject([{ what: expect.stringContaining('provider.vanished') as string }]);
    expect(findingOf(findings, discrepancies).listed).toHaveLength(1);
  });

  test('the auditor lists a payment that was paid twice, and the money still adds up', async () => {
    const theirs = withFault('provider.forgottenHandle', paidTwice);
    const findings = await auditAfter({ ours: discrepancyAbout('$direct', 'twin'), theirs });
    expect(violationsIn(findings)).toEqual([]);
    expect(findingOf(findings, money).listed).toHaveLength(1);
    expect(findingOf(findings, 'a final state that was shown is true at the provider').listed).not.toEqual(
      [],
    );
  });

  test('the auditor counts a part of an excused payout once', async () => {
    const ours = `${vanished}; ${partRecorded}`;
    const excused = await auditAfter({ ours, theirs: withFault('provider.vanished', partReturned) });
    expect(findingOf(excused, money).violations).toEqual([]);
    const other = await auditAfter({ ours: partRecorded, theirs: partReturned });
    expect(findingOf(other, money).violations).toEqual([]);
    const unrecorded = await auditAfter({ theirs: partReturned });
    expect(findingOf(unrecorded, money).violations).not.toEqual([]);
  });

  test('the auditor lists the fresh quote of a second conversion that has a twin', async () => {
    const theirs = withFault('provider.forgottenHandle', secondConversionTwice, 1000);
    const findings = await auditAfter({ ours: discrepancyAbout('$twoHop', 'twin'), theirs });
    expect(violationsIn(findings)).toEqual([]);
    expect(listedIn(findings)).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('2 conversions with one quote') as string }),
    );
  });

  test('the auditor lists the quote of a part that was converted twice', async () => {
    const handle = '2f00bbef-eb9c-548e-baf4-93af141c7064';
    const findings = await auditAfter({
      ours: `${partRecorded};
        insert into provider_resources (handle, kind, user_id, subject_kind, subject_id, leg, created_at)
          select '${handle}', 'transfer', user_id, 'payout_refund', id, 'partial', now() from payout_refunds;
        ${discrepancyAbout('$direct', 'twin')};
        update discrepancies set subject_kind = 'payout_refund', subject_id = '${part}', handle = '${handle}'`,
      theirs: `${secondConversionTwice};
        update transfers set origin_id = '${handle}'
          where quote_uuid in (select quote_uuid from transfers group by quote_uuid having count(*) = 2);
        insert into injected_faults (kind, origin_id, at, details)
          values ('provider.forgottenHandle', '${handle}', 0, '{}')`,
    });
    const { violations, listed } = findingOf(findings, 'one payout per origin id, one debit per quote');
    const found = [...violations, ...listed].filter(({ what }) =>
      what.includes('2 conversions with one quote'),
    );
    expect(found).toMatchObject([{ what: expect.stringContaining('provider.forgottenHandle') as string }]);
  });

  test('the auditor lists a misreported delivery, and the money that differs because of it', async () => {
    const ours = `${discrepancyAbout('$twoHop', 'delivery_differs')};
      update transitions
        set event_data = event_data || jsonb_build_object(
          'destinationAmountMinor', (event_data ->> 'destinationAmountMinor')::bigint + 1000)
        where subject_id = '$twoHop' and event = 'leg1.completed'`;
    const unseen = await auditAfter({ ours });
    expect(findingOf(unseen, money).violations).not.toEqual([]);
    expect(findingOf(unseen, discrepancies).violations).toHaveLength(1);
    const findings = await auditAfter({ ours, theirs: withFault('provider.misreported', '', 1000) });
    expect(violationsIn(findings)).toEqual([]);
    expect(findingOf(findings, money).listed).toHaveLength(1);
    expect(findingOf(findings, discrepancies).listed).toHaveLength(1);
  });

  test.each([
    ['vanished', object, 'delete from payouts where amount = 2000'],
    ['forgottenHandle', money, paidTwice],
  ])('a provider fault without a discrepancy is a violation (%s)', async (fault, invariant, consequence) => {
    const findings = await auditAfter({ theirs: withFault(`provider.${fault}`, consequence) });
    expect(findingOf(findings, invariant).violations).not.toEqual([]);
  });

  test("a fault that the design's rules bound excuses nothing", async () => {
    const theirs = withFault('provider.receivedLate', 'delete from payouts where amount = 2000');
    const ours = discrepancyAbout('$direct', 'contradicted_state');
    const findings = await auditAfter({ ours, theirs });
    expect(findingOf(findings, object).violations).toHaveLength(1);
    expect(findingOf(findings, discrepancies).violations).toEqual([]);
  });

  test('a fault of another kind does not explain a discrepancy', async () => {
    const findings = await auditAfter({ ours: vanished, theirs: withFault('provider.longQuote', '') });
    expect(findingOf(findings, discrepancies).violations).toHaveLength(1);
  });

  test('a fault of another object does not explain a discrepancy', async () => {
    const ours = discrepancyAbout('$returned', 'vanished');
    const findings = await auditAfter({ ours, theirs: withFault('provider.vanished', '') });
    expect(findingOf(findings, discrepancies).violations).toHaveLength(1);
  });
});

let changes = 0;

/**
 * Changes a copy of the finished world's books, and audits them. Books without changes are not copied.
 * @returns what the auditor finds.
 */
async function auditAfter({ ours, theirs, told, journal }: Partial<Tampering>): Promise<Finding[]> {
  const number = (changes += 1);
  const database = ours === undefined ? unchanged : await copyDatabase();
  const sandbox = join(folder, theirs === undefined ? 'sandbox' : `sandbox-${number}`);
  try {
    if (ours !== undefined) await change(database.url, ours);
    if (theirs !== undefined) {
      cpSync(join(folder, 'sandbox'), sandbox, { recursive: true });
      const store = new DatabaseSync(join(sandbox, 'sandbox.sqlite'));
      store.exec(named(theirs));
      store.close();
    }
    const clients = structuredClone(finished.journal);
    journal?.[1](clients, finished.payments);
    return await audit(database.url, sandbox, { ...evidenceOf(clients, number), ...told });
  } finally {
    if (database !== unchanged) await database.drop();
  }
}

type Copy = { url: string; drop: () => Promise<void> };

let copies = 0;

/** Copies the world's database. A database that is copied may have no connections, so the world's own is not read meanwhile. */
async function copyDatabase(): Promise<Copy> {
  const { databaseUrl } = finished.world;
  const name = `audit_${process.pid}_${(copies += 1)}`;
  await onServer(
    `create database ${name} template ${new URL(databaseUrl).pathname.slice(1)} strategy file_copy`,
  );
  return {
    url: databaseAt(databaseUrl, name),
    drop: () => onServer(`drop database ${name} with (force)`),
  };
}

async function onServer(statement: string): Promise<void> {
  const pool = createPool(inject('databaseServerUrl'), 1, noDeadlines);
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}

async function change(url: string, statements: string): Promise<void> {
  const pool = createPool(url, 1, noDeadlines);
  try {
    // This disables constraints that an attacker would drop.
    await pool.query('set session_replication_role = replica');
    await pool.query(named(statements));
  } finally {
    await pool.end();
  }
}

const named = (sql: string): string =>
  sql.replaceAll(/\$(\w+)/g, (_, key: string) => finished.payments[key] ?? key);

const evidenceOf = ({ orders, shown, unordered }: ClientJournal, number = 0): Evidence => ({
  acknowledgedFile: linesIn(`acknowledged-${number}.jsonl`, finished.acknowledged),
  ordersFile: linesIn(`orders-${number}.jsonl`, orders),
  shownFile: linesIn(`shown-${number}.jsonl`, shown),
  unorderedFile: linesIn(`unordered-${number}.jsonl`, unordered),
  restedAfterMs: 1_000,
});

function linesIn(name: string, lines: object[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const violationsIn = (findings: Finding[]) =>
  findings.flatMap(({ invariant, violations }) =>
    violations.map((violation) => ({ invariant, ...violation })),
  );

/** Records a provider fault in a payment, by default the one of R$ 20, and applies its consequence. */
const withFault = (kind: string, consequence: string, amount = 2000): string => `
  insert into injected_faults (kind, origin_id, at, details)
    select '${kind}', origin_id, 0, '{}' from payouts where amount = ${amount};
  ${consequence}`;

const part = '01a22c14-fee1-750b-bb95-3c3ed56224e1';

/** A part of the payment of R$ 20 that came back, as the service records it. */
const partRecorded = `
  insert into payout_refunds (id, user_id, state, seq, state_entered_at, payment_id, movement_ref, amount_brl_minor, home_currency,
      credited_at, created_at, updated_at)
    select '${part}', user_id, 'waiting', 1, now(), id, '${part}', 500, source_currency, now(), now(), now()
    from pix_payments where id = '$direct'`;

/** The same part, as the provider books it. */
const partReturned = `
  update payouts set refunds = '[{"movement":"${part}","amount":500,"at":0}]' where amount = 2000;
  insert into ledger_transactions (id, reason, reference, created_at)
    select 99998, 'PAYOUT_REFUND', origin_id, 0 from payouts where amount = 2000;
  insert into ledger_entries (transaction_id, account, currency, amount)
    select 99998, 'customer:' || source_account_uuid, 'BRL', 500 from payouts where amount = 2000
    union all select 99998, 'outside:BRL', 'BRL', -500 from payouts where amount = 2000;
  update ledger_accounts set balance = coalesce((select sum(amount) from ledger_entries where account = name), 0)
    where currency = 'BRL'`;

/** Pays a payment twice, from the balance that a failed payout has left on the account in reais. */
const paidTwice = `
  insert into ledger_transactions (id, reason, reference, created_at)
    select 99999, 'PAYOUT_COMPLETED', origin_id, 0 from payouts where amount = 2000;
  insert into ledger_entries (transaction_id, account, currency, amount)
    select 99999, 'customer:' || source_account_uuid, 'BRL', -amount from payouts where amount = 2000
    union all select 99999, 'outside:BRL', 'BRL', amount from payouts where amount = 2000;
  update ledger_accounts set balance = coalesce((select sum(amount) from ledger_entries where account = name), 0)
    where currency = 'BRL'`;

/** A second conversion of the payment of R$ 10. It moved nothing. */
const secondConversionTwice = `
  insert into transfers (uuid, origin_id, content, quote_uuid, status, source_account_uuid, destination_account_uuid,
      source_amount, destination_amount, rate, failure_reason, callback_url, updated_at)
    select '0190aaaa-0000-7000-8000-00000000aaaa', origin_id, content, quote_uuid, 'FAILED', source_account_uuid,
      destination_account_uuid, source_amount, destination_amount, rate, 'the market closed', callback_url, updated_at
    from transfers where destination_amount = 1000 order by seq desc limit 1`;

const findingOf = (findings: Finding[], name: string) =>
  findings.find(({ invariant }) => invariant === name) ?? { violations: [], listed: [] };

const listedIn = (findings: Finding[]) => findings.flatMap(({ listed }) => listed);

const whatIsDone = ({ ours, theirs, told, journal }: Tampering): string =>
  ours ?? theirs ?? journal?.[0] ?? JSON.stringify(told);
