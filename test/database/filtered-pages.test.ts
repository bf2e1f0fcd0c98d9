// A page of a list with filters reads a bounded number of rows, however many rows its user has and however few of them match. The plans
// are generic ones, as prepared statements get them. FILTERED_ROWS=1000000 measures a user with a million transactions and as many payments.
import { Client, type Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { removeEverybody } from '../../harness/database/many-people.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { call } from '../support/http.ts';
import { type Person, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const ROWS = Number(process.env['FILTERED_ROWS'] ?? 20_000);
const FILLED_WITHIN_MS = 120_000 + ROWS / 2;

const { world } = useWorld({ env: { ROLE: 'api' } });
const sent = vi.spyOn(Client.prototype, 'query');
let ada: Person;
let pool: Pool;

beforeAll(async () => {
  ada = await signUp(world);
  pool = createPool(world.databaseUrl, 1, noDeadlines);
  // The payments name no quotes and transactions that exist.
  await pool.query('set session_replication_role = replica');
  // The newest row has the number 1.
  await pool.query(
    `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
     select gen_random_uuid(), $1, 'deposit', 'completed', 'GBP', number, 'sandbox', now() - make_interval(secs => number)
     from generate_series(1, $2::int) number`,
    [ada.userId, ROWS],
  );
  await pool.query(
    `insert into pix_payments (id, user_id, transaction_id, quote_id, state, seq, flow, amount_brl_minor, source_currency,
       source_amount_minor, exchange_rate, pix_key_type, pix_key_sealed, expires_at, created_at, updated_at, state_entered_at)
     select gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'completed', 1, 'direct', number, 'GBP', number, 7,
       'email', '\\x00', at, at, at, at
     from generate_series(1, $2::int) number, lateral (select now() - make_interval(secs => number)) as times (at)`,
    [ada.userId, ROWS],
  );
  await pool.query('analyze transactions, pix_payments');
  await pool.query('set plan_cache_mode = force_generic_plan');
}, FILLED_WITHIN_MS);
afterAll(async () => {
  sent.mockRestore();
  await pool.end();
  await removeEverybody(world.databaseUrl);
}, FILLED_WITHIN_MS);

test.each([
  ['/transactions?type=withdraw', 1_000],
  ['/transactions?type=withdraw&limit=20', 500],
  ['/transactions?status=failed&limit=1000', 10_000],
  [`/transactions?minAmount=${ROWS - 1}`, 1_000],
  [`/transactions?minAmount=${ROWS + 1}&from=2000-01-01T00:00:00Z`, 1_000],
  [`/transactions?maxAmount=0&to=${new Date(Date.now() - (ROWS / 2) * 1_000).toISOString()}`, 1_000],
  ['/pix/payments?status=refunded', 1_000],
  ['/pix/payments?status=refunded&limit=1000', 10_000],
  [`/pix/payments?minAmountBrl=${ROWS}&minAmount=${ROWS}`, 1_000],
])('%s finds nothing, and reads %i rows', async (address, rows) => {
  const { read, shown, isLastPage } = await readingOf(address);
  expect({ read, shown, isLastPage }).toEqual({ read: rows, shown: 0, isLastPage: false });
});

test('a page whose rows match at once reads no more than they are', async () => {
  const { read, shown } = await readingOf('/transactions?type=deposit&limit=100');
  expect(shown).toBe(100);
  expect(read).toBeLessThanOrEqual(102);
});

test('a period far back is read from its end', async () => {
  const to = new Date(Date.now() - (ROWS - 100) * 1_000).toISOString();
  const { read, shown, isLastPage } = await readingOf(`/transactions?to=${to}&limit=1000`);
  expect({ read, isLastPage }).toEqual({ read: shown, isLastPage: true });
});

type Node = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[];
};

/** Requests a page, then explains its statement. `read` is how many rows of the list PostgreSQL has read for it. */
async function readingOf(address: string) {
  sent.mockClear();
  const begun = performance.now();
  const answer = await call(world, 'GET', address, { token: ada.token });
  const ms = performance.now() - begun;
  expect(answer.status).toBe(200);
  const statements = sent.mock.calls.map(([one]) => one as unknown as { text?: string; values?: unknown[] });
  const { text = '', values = [] } = statements.find(({ text: one }) => one?.includes('row_number')) ?? {};
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node; 'Execution Time': number }[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  if (explained === undefined) throw new Error(`${address} has no statement with filters`);
  const { Plan: plan, 'Execution Time': executionMs } = explained;
  const list =
    /^\/(?:pix\/payments|transactions)/.exec(address)?.[0] === '/transactions'
      ? 'transactions'
      : 'pix_payments';
  const read = nodesOf(plan)
    .filter((node) => node['Relation Name'] === list)
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  console.log(
    `${address}: ${read} rows, ${pages} pages, ${executionMs.toFixed(1)} ms; answered in ${ms.toFixed(1)} ms`,
  );
  const shown = (answer.body as unknown as unknown[]).length;
  return { read, shown, isLastPage: !answer.headers.has('link') };
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
