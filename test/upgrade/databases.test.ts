// The database that version 1.1.0 left in the middle of its work is migrated and served. All work reaches a final state, and the auditor
// compares it with the provider's books.
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { sandboxSettings } from '../../harness/stack/settings.ts';
import { audit } from '../../proof/audit/audit.ts';
import { isProviderAtRest } from '../../proof/audit/theirs.ts';
import { underWay } from '../../proof/stack/under-way.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import type { Service } from '../../src/start/start-service.ts';
import { createTestClock } from '../support/clock.ts';
import { databaseSettings, type TestDatabase } from '../support/database.ts';
import { call } from '../support/http.ts';
import { until } from '../support/until.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { formerDatabase as fixture } from './fixtures.ts';
import { type PastSandbox, restoreDatabase, restoreSandbox, upgrade } from './past.ts';

const PATIENCE_MS = 60_000;
/** The upgrade takes so long, by all clocks. The night that the former version planned has begun meanwhile. */
const LATER_MS = 5 * 60 * 60_000;

let database: TestDatabase;
let sandbox: PastSandbox;
let service: Service;
let url: string;

beforeAll(async () => {
  const clock = createTestClock();
  clock.advance(Date.parse(fixture.recordedAt) + LATER_MS - Date.now());
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  database = await restoreDatabase();
  await upgrade(database);
  // PostgreSQL's own clock cannot be set.
  await query('update job_runs set due_at = now() where due_at is not null');
  sandbox = await restoreSandbox(url, () => clock.now().getTime());
  const env = {
    ...sandboxSettings(sandbox.url),
    ...fixture.env,
    PORT: String(port),
    PUBLIC_BASE_URL: url,
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '10',
    WORKER_CONCURRENCY: '4',
    ...databaseSettings(),
  };
  service = await startWatchedService(env, clock);
}, PATIENCE_MS);
afterAll(async () => {
  await service.stop();
  await sandbox.close();
  await database.drop();
});

async function query(text: string): Promise<object[]> {
  const pool = createPool(database.url, 1);
  const { rows } = await pool.query<object>(text);
  await pool.end();
  return rows;
}

const tokenOf = (person: string): string => fixture.people[person]?.token ?? '';

test.each(fixture.asks.map((ask) => [ask.as, `${ask.method} ${ask.path}`, ask] as const))(
  '%s can %s after the upgrade',
  async (_as, _what, { as, method, path, key, body, answers = {} }) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const said = { token: tokenOf(as), headers, ...(body && { json: body }) };
    const answer = await call({ url }, method, path, said);
    expect(answer).toMatchObject({ status: 200, body: answers });
  },
);

test.each([
  ['fay', 403, 'account_closed'],
  ['gus', 401, 'unauthorized'],
])('%s, whose account is closed or erased, gets %d after the upgrade', async (person, status, code) => {
  const answer = await call({ url }, 'GET', '/me', { token: tokenOf(person) });
  expect(answer).toMatchObject({ status, body: { code } });
});

test.each(fixture.shows.map((show) => [show.as, show.path, JSON.stringify(show.with), show] as const))(
  '%s finally sees %s with %s',
  async (_as, _path, _with, { as, path, with: expected }) => {
    const look = async () => (await call({ url }, 'GET', path, { token: tokenOf(as) })).body;
    const seen = await until(look, (body) => matches(body, expected), PATIENCE_MS).catch(look);
    expect(seen).toMatchObject(expected);
  },
  PATIENCE_MS * 2,
);

test('each user is found by their subject, and each of their provider objects is recorded as theirs', async () => {
  const rows = await query(
    `select id from users
     where (auth_provider, auth_subject, id) not in (select auth_provider, auth_subject, user_id from identity_users)
     union all select provider_ref from (
       select provider_ref, kind::text, user_id from provider_resources where kind in ('owner', 'account')
       union all select provider_account_id, 'account', user_id from provider_accounts
       union all select provider_ref, 'movement', user_id from transactions
     ) known where provider_ref is not null
       and (provider_ref, kind, user_id) not in (select provider_ref, kind::text, user_id from provider_object_users)`,
  );
  expect(rows).toEqual([]);
});

test.each(fixture.finds.map((find) => [find.sql, find.rows] as const))(
  'the database finally answers: %s',
  async (text, expected) => {
    const look = () => query(text);
    const seen = await until(look, (rows) => matches(rows, expected), PATIENCE_MS).catch(look);
    expect(seen).toEqual(expected);
  },
  PATIENCE_MS * 2,
);

// The owner of an erased user's objects is unknown, so the auditor finds them at the provider without rows.
test(
  'the auditor finds nothing in the upgraded database but the objects of the erased user',
  async () => {
    const pool = new Pool({ connectionString: database.url, max: 1 });
    const left = async () => `${isProviderAtRest(sandbox.folder)} ${(await underWay(pool)).left}`;
    expect(await until(left, (text) => text === 'true ', PATIENCE_MS).catch(left)).toBe('true ');
    await pool.end();
    const findings = await audit(database.url, sandbox.folder);
    const violations = findings.flatMap((one) => one.violations.map(({ id, what }) => `${id}: ${what}`));
    expect(violations.toSorted()).toEqual(fixture.erased.toSorted());
  },
  PATIENCE_MS * 2,
);

const matches = (seen: unknown, expected: object): boolean => {
  try {
    expect(seen).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
};
