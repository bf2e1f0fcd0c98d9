// Checks the plans of the statements that apps poll, in a database with many users. Each statement uses an index and reads no large
// table from end to end. The statements are captured as pg receives them. The plans are generic ones, as prepared statements get
// them. `npm run bench:plans` runs these tests with a million people and ten million rows.
import { Client, type Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { largeTables, multiplyPerson, removeEverybody } from '../../harness/database/many-people.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import type { Claimable } from '../../src/outbox/claim.ts';
import { readPaymentWaits } from '../../src/outbox/payment-waits.ts';
import { createTakenUntil } from '../../src/outbox/taken-until.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { byTable } from '../support/by-table.ts';
import { claimOnce } from '../support/claim-once.ts';
import { call } from '../support/http.ts';
import { type Person, pay, quote, reaches, verified, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

const PEOPLE = Number(process.env['PLANS_PEOPLE'] ?? 5_000);
/** The number of people who have more than a sign-in. */
const OWNERS = Number(process.env['PLANS_OWNERS'] ?? PEOPLE);
/** Two minutes for each 5,000 people who have more than a sign-in. */
const FILLED_WITHIN_MS = 120_000 * Math.ceil(OWNERS / 5_000);

const sent = vi.spyOn(Client.prototype, 'query');

let world: World;
let ada: Person;
let payment: string;
let transaction: string;
let pool: Pool;
let partialIndexes: Set<string>;

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '1000.00' });
  payment = await pay(ada, await quote(ada, 10));
  await reaches(ada, payment, 'completed');
  const joana = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  await reaches(ada, await pay(ada, await quote(ada, 11), joana), 'completed');
  await ada.ponte.recipients().next();
  await withdraw(ada, 1_000);
  transaction = await withdraw(ada, 1_100);
  // Most rows of a large table are finished.
  await until(
    () => byTable(world.service.app.db).selectFrom('withdraws').select('state').execute(),
    (rows) => rows.every(({ state }) => state === 'completed'),
  );
  // The following statements come from an API alone, because a worker sends statements all the time.
  await world.service.stop();
  console.log(`rows: ${await multiplyPerson(world.databaseUrl, ada.userId, PEOPLE, OWNERS)}`);
  pool = createPool(world.databaseUrl, 1, noDeadlines);
  partialIndexes = await readPartialIndexes();
  world = { ...world, service: await startWatchedService({ ...world.env, ROLE: 'api' }, world.clock) };
}, FILLED_WITHIN_MS);
afterAll(async () => {
  sent.mockRestore();
  await pool.end();
  await world.service.stop();
  await removeEverybody(world.databaseUrl);
  await world.stop();
}, FILLED_WITHIN_MS);

/** The work whose statements are checked. Add other work here, for example a claim of the outbox by a call of its function. */
const works: [string, () => Promise<unknown>][] = [
  ['GET /me', () => get('/me')],
  ['GET /kyc/status', () => get('/kyc/status')],
  ['GET /bank-details', () => get('/bank-details')],
  ['GET /transactions', () => get('/transactions')],
  ['GET /transactions, its second page', () => secondPage('/transactions')],
  ['GET /transactions with filters', () => get('/transactions?type=payment&status=completed&minAmount=1')],
  ['GET /transactions/{id}', () => get(`/transactions/${transaction}`)],
  ['GET /pix/payments', () => get('/pix/payments')],
  ['GET /pix/payments, its second page', () => secondPage('/pix/payments')],
  ['GET /pix/payments with filters', () => get('/pix/payments?status=completed&maxAmountBrl=10')],
  ['GET /pix/payments/{id}', () => get(`/pix/payments/${payment}`)],
  ['GET /pix/payments/{id}/receipt', () => get(`/pix/payments/${payment}/receipt`)],
  ['GET /pix/recipients', () => get('/pix/recipients')],
  ['GET /pix/recipients, its second page', () => secondPage('/pix/recipients')],
  ['GET /withdraws', () => get('/withdraws')],
  ['GET /withdraws, its second page', () => secondPage('/withdraws')],
  ['POST /pix/payments', async () => pay(ada, await quote(ada, 10))],
  ['POST /withdraws', () => withdraw(ada, 1_200)],
  ['the claim of effects', () => claim('effect')],
  ['the claim of urgent effects', () => claim('urgent')],
  [
    'reading how long payments wait',
    () => readPaymentWaits(world.service.app.db, world.service.app.outbox, createTakenUntil()),
  ],
  ['the claim of callbacks', () => claim('callback')],
  ['the claim of polls', () => claim('poll')],
  ['GET /metrics', () => countBacklog(world.service.app.db, world.clock.now())],
];

describe.each(works)('the plans of %s', (_what, work) => {
  test('every statement reads large tables by an index', async () => {
    const plans = await plansOf(work);
    expect(plans.flatMap(({ text, nodes }) => nodes.filter(isWhole).map((node) => ({ text, node })))).toEqual(
      [],
    );
    expect(plans.flatMap(({ nodes }) => nodes).filter(isByIndex).length).toBeGreaterThan(0);
  });
});

test.each(['/transactions', '/transactions?type=payment'])(
  'a page of %s looks up each payment and withdrawal by its transaction',
  async (address) => {
    const plans = await plansOf(() => get(address));
    const all = plans.flatMap(({ nodes }) => nodes);
    const conditionsOf = (table: string) =>
      all.filter((node) => node['Relation Name'] === table).map((node) => node['Index Cond']);
    expect(conditionsOf('pix_payments')).toEqual([
      expect.stringContaining('(transaction_id = transaction.id)'),
    ]);
    expect(conditionsOf('withdraws')).toEqual([expect.stringContaining('(id = transaction.id)')]);
  },
);

test('a statement without an index is found', async () => {
  const plans = await plansOf(() =>
    byTable(world.service.app.db)
      .selectFrom('users')
      .select('id')
      .where('display_name', '=', 'Ada')
      .execute(),
  );
  expect(plans.flatMap(({ nodes }) => nodes.filter(isWhole))).toMatchObject([{ 'Relation Name': 'users' }]);
});

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

/** Claims work while nothing is due, because only the search for it matters here. */
const claim = (kind: Claimable): Promise<unknown> =>
  claimOnce(world.service.app.db, kind, { limit: 10, now: new Date(0) });

async function get(path: string): Promise<Headers> {
  const { status, headers } = await call(world, 'GET', path, { token: ada.token });
  expect([path, status]).toEqual([path, 200]);
  return headers;
}

async function secondPage(path: string): Promise<void> {
  const [, next = ''] = /<(.+)>/.exec((await get(`${path}?limit=1`)).get('link') ?? '') ?? [];
  expect(next).toContain('cursor=');
  await get(next);
}

/** The plans of the statements that `work` sends, each once. */
async function plansOf(work: () => Promise<unknown>): Promise<{ text: string; nodes: Node[] }[]> {
  sent.mockClear();
  await work();
  const texts = sent.mock.calls
    .map(([query]) => textOf(query))
    .filter((text) => /^\s*(select|with|insert|update|delete)\b/i.test(text));
  const plans: { text: string; nodes: Node[] }[] = [];
  for (const text of new Set(texts)) {
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    plans.push({ text, nodes: rows[0]?.['QUERY PLAN'].flatMap(({ Plan }) => allIn(Plan)) ?? [] });
  }
  return plans;
}

async function readPartialIndexes(): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    'select indexrelid::regclass::text as name from pg_index where indpred is not null',
  );
  return new Set(rows.map(({ name }) => name));
}

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : ((query as { text?: string }).text ?? '');

const allIn = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(allIn)];

/**
 * Whether a node reads a large table, or an index of all its rows, from end to end. An index of only the unfinished rows may be
 * read whole.
 */
const isWhole = (node: Node): boolean =>
  largeTables.includes(node['Relation Name'] ?? '') &&
  (node['Node Type'] === 'Seq Scan' ||
    (node['Node Type'].startsWith('Index') &&
      node['Index Cond'] === undefined &&
      !partialIndexes.has(node['Index Name'] ?? '')));

const isByIndex = (node: Node): boolean => node['Index Name'] !== undefined;
