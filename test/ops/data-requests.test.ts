// Operators answer the requests of data subjects: they list them by date, read them, export everything and close them. Each of
// these is audited.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataRequestInput } from '../../openapi/generated/openapi.ts';
import { sections, withheld } from '../../src/privacy/export-sections.ts';
import { type UserExport } from '../../src/privacy/export-user.ts';
import { columnOf } from '../../src/privacy/export-values.ts';
import { personalDataMap } from '../../src/tables/personal-data-map.ts';
import { payloadTables } from '../../src/tables/webhook-payloads/entity.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { makeVera, vera, type WholePerson } from '../support/whole-person.ts';
import { auditOf, type CommandResult, opsHere, opsOnFullDisk } from './support.ts';

const DAY_MS = 24 * 60 * 60_000;
const WHY = ['--reason', 'identity checked, ticket 4716'];

let whole: WholePerson;
let neighbour: Person;
let folder: string;

const ops = (...args: string[]): Promise<CommandResult> => opsHere(world.service.app, args);
const ask = async ({ api }: Person, body: DataRequestInput): Promise<string> =>
  must(await api.POST('/me/data-request', { body })).id;

const { world, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeAll(async () => {
  neighbour = await signUp(world, { subject: 'nadia', name: 'Nadia Nebenan', email: 'nadia@relay.example' });
  whole = await makeVera(world);
  folder = mkdtempSync(join(tmpdir(), 'ponte-export-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

test('the list of data requests has the overdue ones first, then the next ones due, with the days left', async () => {
  const [first] = await requestsOf(whole.person);
  await world.clock.later(20 * DAY_MS, () =>
    ask(neighbour, { type: 'rectification', notes: 'Nádia, please' }),
  );
  const result = await world.clock.later(31 * DAY_MS, () => ops('data-requests'));
  const lines = result.out.trimEnd().split('\n').slice(1);
  expect(lines[0]).toMatch(new RegExp(`^${first}  ${whole.person.userId}  access +yes .*overdue 1 d$`));
  expect(lines[1]).toMatch(/rectification +yes .* in 18 d$/);
  expect(result.out).not.toContain('dia, please');
});

test.each(['rectification', 'restriction', 'objection'] as const)(
  'a request for %s is read, answered without an export, closed once, and audited',
  async (type) => {
    const id = await ask(neighbour, { type, notes: `about ${type}` });
    expect((await ops('data-requests', 'read', id, ...WHY)).out).toBe(`about ${type}\n`);
    const exported = await ops('data-requests', 'export', id, ...WHY);
    expect([exported.code, exported.err]).toEqual([1, expect.stringContaining('access or portability')]);

    expect((await ops('data-requests', 'close', id, ...WHY)).out).toMatch(/^Done\./);
    expect((await ops('data-requests', 'close', id, ...WHY)).out).toMatch(/^Nothing changed\./);
    expect((await ops('data-requests')).out).not.toContain(id);
    expect((await ops('data-requests', '--all')).out).toMatch(new RegExp(`^${id} .* closed `, 'm'));
    expect((await auditOf(world, id)).map(({ action, user_id }) => [action, user_id])).toEqual([
      ['operator.data-requests read', neighbour.userId],
      ['operator.data-requests close', neighbour.userId],
    ]);
  },
);

test('a data request that does not exist is refused with a sentence', async () => {
  const nowhere = '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f';
  for (const verb of ['read', 'export', 'close'])
    expect(await ops('data-requests', verb, nowhere, ...WHY)).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no') as string,
    });
});

describe('an export for access', () => {
  let id: string;
  let exported: UserExport & { requestId: string };

  beforeAll(async () => {
    [id = ''] = await requestsOf(whole.person);
    // Colours would not be JSON.
    const env = { NO_COLOR: '1' };
    const result = await opsHere(world.service.app, ['data-requests', 'export', id, ...WHY], env, true);
    if (result.code !== 0) throw new Error(result.err);
    exported = JSON.parse(result.out) as typeof exported;
  });

  test('an export for access says what it is and is audited', async () => {
    expect(exported).toMatchObject({
      format: 'ponte-export-1',
      kind: 'access',
      requestId: id,
      userId: whole.person.userId,
    });
    expect(exported.sections.map(({ name }) => name)).toEqual(Object.keys(sections));
    for (const { name, about } of exported.sections) expect([name, about.length > 20]).toEqual([name, true]);
    expect(await auditOf(world, id)).toMatchObject([
      {
        action: 'operator.data-requests export',
        user_id: whole.person.userId,
        details: { operator: 'olga' },
      },
    ]);
  });

  test('an export for access has every row about the user of every table with personal data', async () => {
    for (const { name, rows } of exported.sections) expect([name, rows.length > 0]).toEqual([name, true]);
    for (const { name, rows } of exported.sections.filter((one) => namesItsUser(one.name))) {
      const { rows: counted } = await sql<{ count: number }>`
        select count(*)::int as count from ${sql.table(name)} where user_id = ${whole.person.userId}
      `.execute(db());
      // The record of this export is younger than the export.
      const young = name === 'audit_events' ? 1 : 0;
      expect([name, rows.length + young]).toEqual([name, counted[0]?.count]);
    }
  });

  test('an export for access has every personal value opened, and nothing about other users, about staff or of our secrets', () => {
    const text = JSON.stringify(exported);
    for (const [what, value] of Object.entries(vera))
      expect([what, text.includes(value)]).toEqual([what, true]);
    for (const value of ['Nadia', 'nadia', neighbour.userId, 'olga', 'wrapped', world.webhookSecret])
      expect([value, text.includes(value)]).toEqual([value, false]);
  });

  test('an export for access has amounts with their currency and times as ISO 8601', () => {
    const payment = rowsOf('pix_payments').find((row) => row['recipientName'] === vera.recipient);
    expect(payment).toMatchObject({
      amountBrl: { currency: 'BRL', minorUnits: 25_000, decimal: '250.00' },
      sourceAmount: { currency: 'GBP', minorUnits: expect.any(Number) as number },
      usdcQuoted: { currency: 'USDC' },
      usdcDelivered: { currency: 'USDC' },
      pixKey: vera.pixKey,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) as string,
    });
    expect(rowsOf('kyc_verifications')).toMatchObject([
      { identity: { fullName: vera.fullName, email: vera.realEmail } },
    ]);
    expect(rowsOf('users')).toMatchObject([{ displayName: vera.name, email: vera.email }]);
  });

  test('an export for access has the callbacks about the user, with their contents', () => {
    const payout = rowsOf('webhook_events').find((row) => row['eventType'] === 'payout.updated');
    const moved = rowsOf('webhook_payloads').find((row) => row['eventId'] === payout?.['id']);
    // A payload that was processed after midnight is still with its callback.
    const { payload } = moved ?? payout ?? {};
    expect(payload).toMatchObject({
      event: 'payout.updated',
      data: { uuid: expect.any(String) as string },
    });
  });

  test('an export for access says what is left out and why', () => {
    expect(exported.leftOut).toContainEqual({
      what: 'audit_events.details: operator',
      why: expect.any(String) as string,
    });
    expect(exported.leftOut.map(({ what }) => what)).toContain('data_keys');
  });

  const rowsOf = (name: string): Record<string, unknown>[] =>
    exported.sections.find((section) => section.name === name)?.rows ?? [];
});

test('an export for portability has the data that the user provided, in a file that only its owner can read, and never overwrites a file', async () => {
  const id = await ask(whole.person, { type: 'portability' });
  const file = join(folder, 'vera.json');
  const result = await ops('data-requests', 'export', id, '--file', file, ...WHY);
  expect([result.code, result.out]).toEqual([0, expect.stringContaining(file)]);
  expect(result.out).not.toContain(vera.fullName);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const exported = JSON.parse(readFileSync(file, 'utf8')) as UserExport;
  expect(exported.kind).toBe('portability');
  expect(exported.sections.map(({ name }) => name)).toEqual([
    'users',
    'kyc_verifications',
    'bank_details',
    'transactions',
    'pix_payments',
    'contestations',
    'payout_refunds',
    'pix_quotes',
    'withdraws',
    'data_requests',
  ]);
  expect(JSON.stringify(exported)).toContain(vera.iban);

  const again = await ops('data-requests', 'export', id, '--file', file, ...WHY);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already')]);
  const nowhere = await ops('data-requests', 'export', id, '--file', join(folder, 'no', 'where'), ...WHY);
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('the folder does not exist')]);
  expect(readdirSync(folder)).toEqual(['vera.json']);
});

test('an export without a file is refused unless a terminal shows it, and is then not audited', async () => {
  const id = await ask(neighbour, { type: 'access' });
  for (const json of [[], ['--json']]) {
    const result = await ops('data-requests', 'export', id, ...WHY, ...json);
    expect(result).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--file') as string });
  }
  expect(await auditOf(world, id)).toEqual([]);
});

test('an export that finds no space ends with a sentence, and leaves nothing half done', async () => {
  const id = await ask(whole.person, { type: 'portability' });
  const file = join(folder, 'full.json');
  const result = await opsOnFullDisk(world, 2, 'data-requests', 'export', id, '--file', file, ...WHY);
  expect(result).toEqual({ code: 1, out: '', err: `${file} cannot be written: no space is left for it.\n` });
  expect(readdirSync(folder)).toEqual(['vera.json']);
  expect((await ops('data-requests', 'export', id, '--file', file, ...WHY)).code).toBe(0);
});

test('the rest of an export whose process was killed is named, and is not used', async () => {
  const id = await ask(whole.person, { type: 'portability' });
  const file = join(folder, 'killed.json');
  writeFileSync(`${file}.part`, '{ "format": "po');
  const result = await ops('data-requests', 'export', id, '--file', file, ...WHY);
  expect(result).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${file}.part exists already`) as string,
  });
  expect(readdirSync(folder)).not.toContain('killed.json');
});

test('every column of every table is shown, left out for a reason, or in a table without users’ rows', async () => {
  const { rows } = await sql<{ table: string; columns: string[] }>`
      select table_name as table, array_agg(column_name::text order by column_name::text) as columns
      from information_schema.columns
      where table_schema = 'public' and table_name not in ('schema_migrations', 'schema_floor')
        and not table_name = any(${payloadTables}) group by 1
    `.execute(db());
  const decided = Object.fromEntries(
    Object.entries(sections).map(([table, { columns }]) => [
      table,
      Object.keys(columns).map(columnOf).toSorted(),
    ]),
  );
  for (const { table, columns } of rows) {
    if (table in withheld) continue;
    if ('nobodysBecause' in personalDataMap[table as keyof typeof personalDataMap]) continue;
    expect([table, decided[table]]).toEqual([table, columns.toSorted()]);
  }
});

test('an export opens every column that is sealed', () => {
  const stray = Object.entries(sections).flatMap(([table, { columns }]) =>
    Object.entries(columns).flatMap(([property, how]) =>
      property.endsWith('Sealed') && !(typeof how === 'object' && 'sealedAt' in how)
        ? [`${table}.${property}`]
        : [],
    ),
  );
  expect(stray).toEqual([]);
});

/** Callbacks are excluded, because a callback names its user only while it waits. */
const namesItsUser = (table: string): boolean =>
  table !== 'webhook_events' && 'userId' in sections[table as 'transactions'].columns;

const requestsOf = async ({ userId }: Person): Promise<string[]> =>
  (
    await byTable(db())
      .selectFrom('data_requests')
      .select('id')
      .where('user_id', '=', userId)
      .orderBy('received_at')
      .execute()
  ).map(({ id }) => id);
