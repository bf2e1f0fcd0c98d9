// Polled operations read the user's own rows by an index, for any number of users. No request scans a table of users' rows from end
// to end. PostgreSQL itself counts the scans.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largeTables, multiplyPerson } from '../../harness/database/many-people.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { gbp } from '../support/bank-details.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

/** Enough people that a scan costs more than an index, even if the rows are short. */
const PEOPLE = 2_000;

let world: World;
let ada: Person;
let id: string;
let before: Scans;

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '1000.00' });
  must(await ada.api.POST('/bank-details', { body: gbp }));
  must(await ada.api.POST('/withdraws', { body: { amount: 1_000 } }));
  id = await pay(ada, await quote(ada, 10));
  await reaches(ada, id, 'completed');
  // The following requests go to an API alone, because a worker causes its own scans.
  await world.service.stop();
  await multiplyPerson(world.databaseUrl, ada.userId, PEOPLE);
  before = await scans();
  world = { ...world, service: await startWatchedService({ ...world.env, ROLE: 'api' }, world.clock) };
});
afterAll(() => world.stop());

test('the operations that apps poll, and those that reserve money, use an index', async () => {
  const { api } = ada;
  const listed = must(await api.GET('/transactions'));
  const one = { params: { path: { id: listed[0]?.id ?? '' } } };
  const key = { params: { header: { 'Idempotency-Key': randomUUID() } } };
  const answers = [
    await api.GET('/me'),
    await api.GET('/kyc/status'),
    await api.GET('/bank-details'),
    await api.GET('/withdraws'),
    await api.GET('/transactions/{id}', one),
    await api.GET('/pix/payments'),
    await api.GET('/pix/payments/{id}', { params: { path: { id } } }),
    await api.POST('/kyc/start', {}),
    await api.PATCH('/me', { body: { homeCurrency: 'GBP' } }),
    await api.POST('/withdraws', { body: { amount: 1_100 }, ...key }),
    await api.POST('/me/data-request', { body: { type: 'access' } }),
  ];
  expect(answers.filter(({ response }) => !response.ok)).toEqual([]);
  await pay(ada, await quote(ada, 10));
  await world.service.stop();
  const after = await scans();
  expect(wholeOf(after)).toEqual(wholeOf(before));
  expect(after['kyc_verifications']?.byIndex).toBeGreaterThan(before['kyc_verifications']?.byIndex ?? 0);
});

type Scans = Record<string, { whole: number; byIndex: number }>;

const wholeOf = (all: Scans) => Object.entries(all).map(([table, { whole }]) => [table, whole]);

/** The number of scans so far for each table of users' rows. A session has reported all its counts when it has ended. */
async function scans(): Promise<Scans> {
  const pool = createPool(world.databaseUrl, 1, noDeadlines);
  const othersAreGone = async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return rows.length === 0;
  };
  await until(othersAreGone, Boolean);
  const { rows } = await pool.query<{ table: string; whole: number; byIndex: number }>(
    `select relname as table, seq_scan as whole, idx_scan as "byIndex" from pg_stat_user_tables
     where schemaname = 'public' and relname = any($1) order by 1`,
    [largeTables],
  );
  await pool.end();
  return Object.fromEntries(rows.map(({ table, ...counts }) => [table, counts]));
}
