// Late rows are found by an index, so the cost of the query does not grow with the number of finished rows.
import { MikroKyselyPlugin } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NIL_UUID } from '../../src/domain/ids.ts';
import { agesOf, overdueRows } from '../../src/lifecycle/ages.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { type Entities, entityNaming } from '../../src/tables/entities.ts';
import { listUnfinished } from '../../src/tables/lifecycles.ts';
import { createOrm, type Db } from '../../src/tables/orm.ts';
import { useDatabase } from '../support/use-database.ts';

type Pool = ReturnType<typeof createPool>;

const now = new Date('2026-11-22T12:00:00.000Z');
const database = useDatabase();
let pool: Pool;
let db: Db;
/** The statements that were sent since the last explanation. */
let statements: string[] = [];

beforeAll(async () => {
  pool = createPool(database.url, 2);
  await fill(pool);
  const { em } = await createOrm(pool);
  db = new Kysely<Entities>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new MikroKyselyPlugin(em, entityNaming)],
    log: ({ query }) => void statements.push(query.sql),
  });
});
afterAll(async () => {
  await db.destroy();
});

test('the query of ages returns the oldest row of each state and the number of rows past its limit', async () => {
  const ages = await agesOf(db, now);
  const found = ages.filter(({ oldestSince }) => oldestSince !== null);
  expect(found).toEqual([
    {
      lifecycle: 'pix_payment',
      state: 'converting.leg2',
      rail: null,
      limitSeconds: 1_200,
      oldestSince: minutesAgo(21),
      pastLimit: 1,
    },
    {
      lifecycle: 'pix_payment',
      state: 'manual_review',
      rail: null,
      limitSeconds: 0,
      oldestSince: minutesAgo(1),
      pastLimit: 1,
    },
    {
      lifecycle: 'withdraw',
      state: 'settling',
      rail: 'FPS',
      limitSeconds: 14_400,
      oldestSince: minutesAgo(239),
      pastLimit: 0,
    },
    {
      lifecycle: 'withdraw',
      state: 'settling',
      rail: 'SEPA',
      limitSeconds: 172_800,
      oldestSince: minutesAgo(241),
      pastLimit: 0,
    },
  ]);
  await readsNoTable();
});

test('the query of overdue rows returns those past their limits, the oldest first', async () => {
  const rows = await overdueRows(db, now, 10);
  expect(rows.map(({ state, since, limitSeconds }) => [state, since, limitSeconds])).toEqual([
    ['converting.leg2', minutesAgo(21), 1_200],
    ['manual_review', minutesAgo(1), 0],
  ]);
  await readsNoTable();
});

test('the query of unfinished rows returns a page of them', async () => {
  const rows = await listUnfinished.pix_payment(db, { after: NIL_UUID, limit: 10 });
  expect(rows.map(({ state }) => state).toSorted()).toEqual([
    'converting.leg2',
    'converting.leg2',
    'manual_review',
    'manual_review',
  ]);
  await readsNoTable();
});

const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);

/** Explains each statement with a generic plan, as it is planned when it runs. */
async function readsNoTable(): Promise<void> {
  expect(statements).toHaveLength(1);
  for (const text of statements.splice(0)) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/_(ages|unfinished)/);
    // The other tables are empty here, so a sequential scan of them is cheapest.
    expect(plan).not.toMatch(/Seq Scan on (pix_payments|withdraws)/);
    expect(plan).not.toContain('_pkey');
  }
}

/** Inserts thousands of finished rows into each of the larger tables, and a few unfinished ones. */
async function fill(into: Pool): Promise<void> {
  // The test needs no rows that the foreign keys refer to.
  await into.query(`alter table pix_payments disable trigger all`);
  await into.query(`alter table withdraws disable trigger all`);
  await into.query(paymentsFrom(`select 'completed', n, null::int from generate_series(1, 5000) n`));
  await into.query(withdrawalsFrom(`select 'completed', 'FPS', n from generate_series(1, 5000) n`));
  // One payment is acknowledged in its present state, and one was acknowledged before it entered that state again.
  await into.query(
    paymentsFrom(`values ('converting.leg2', 19, null::int), ('converting.leg2', 21, null),
      ('manual_review', 5000, 3), ('manual_review', 1, 2)`),
  );
  await into.query(withdrawalsFrom(`values ('settling', 'FPS', 239), ('settling', 'SEPA', 241)`));
  await into.query(`analyze`);
}

const paymentsFrom = (rows: string): string => `
  insert into pix_payments (id, user_id, transaction_id, quote_id, state, seq, state_entered_at, flow, amount_brl_minor,
    source_currency, source_amount_minor, exchange_rate, pix_key_type, pix_key_sealed, acknowledged_seq, expires_at,
    created_at, updated_at)
  select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), state::pix_payment_state, 3,
    '${now.toISOString()}'::timestamptz - make_interval(mins => minutes), 'two_hop', 1, 'GBP', 1, 1, 'cpf', '',
    acknowledged, now(), now(), now()
  from (${rows}) as payment (state, minutes, acknowledged)`;

const withdrawalsFrom = (rows: string): string => `
  insert into withdraws (id, user_id, state, seq, state_entered_at, currency, amount_minor, rail, bank_details_id,
    bank_details_version, destination_sealed, expected_settlement_seconds, created_at, updated_at)
  select gen_random_uuid(), gen_random_uuid(), state::withdraw_state, 1,
    '${now.toISOString()}'::timestamptz - make_interval(mins => minutes), 'GBP', 1, rail::rail, gen_random_uuid(), 1, '', 1,
    now(), now()
  from (${rows}) as withdrawal (state, rail, minutes)`;
