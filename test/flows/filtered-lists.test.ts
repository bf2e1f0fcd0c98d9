// Lists with filters: what matches is listed once, in the order of the list, in pages that may be short or empty before the list ends.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PixPayment, Transaction } from '../../packages/client/src/index.ts';
import { byTable } from '../support/by-table.ts';
import { fill } from '../support/fill.ts';
import { type Answered, call, faultIn } from '../support/http.ts';
import { type Person, pay, quote, reaches, signUp, verified, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();
const db = () => byTable(world.service.app.db);

const get = ({ token }: Person, address: string) => call(world, 'GET', address, { token });
const nextOf = ({ headers }: Answered): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** Reads a list by its `Link` headers. */
async function walk<Item>(person: Person, from: string): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let next: string | undefined = from; next !== undefined; ) {
    const answer: Answered = await get(person, next);
    expect([next, answer.status]).toEqual([next, 200]);
    pages.push(answer.body as unknown as Item[]);
    next = nextOf(answer);
  }
  return pages;
}

const inMinute = (minute: number): string => `2026-03-01T00:${String(minute).padStart(2, '0')}:00Z`;

const minutes = (list: { createdAt: string }[]): number[] =>
  list.map(({ createdAt }) => new Date(createdAt).getUTCMinutes());

describe('the list of transactions', () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await signUp(world);
    // Twelve rows, one in each minute: every type with every status, and an amount of as many pounds as minutes.
    await sql`
      insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
      select gen_random_uuid(), ${ada.userId}::uuid, type, status, 'GBP', 100 * number, 'sandbox',
        '2026-03-01T00:00:00Z'::timestamptz + make_interval(mins => number)
      from (
        select type, status, (row_number() over (order by type, status))::int as number
        from unnest(enum_range(null::transaction_type)) type, unnest(enum_range(null::transaction_status)) status
      ) as each`.execute(db());
  });

  test.each([
    ['type=deposit', [4, 3, 2, 1]],
    ['type=payment&type=withdraw', [12, 11, 10, 9, 8, 7, 6, 5]],
    ['status=failed', [12, 8, 4]],
    ['status=pending&status=settling', [10, 9, 6, 5, 2, 1]],
    ['type=withdraw&status=completed', [11]],
    ['minAmount=1000', [12, 11, 10]],
    ['maxAmount=300', [3, 2, 1]],
    ['minAmount=300&maxAmount=300', [3]],
    ['minAmount=301&maxAmount=399', []],
    ['minAmount=0&maxAmount=9007199254740991', [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    [`from=${inMinute(11)}`, [12, 11]],
    [`to=${inMinute(3)}`, [2, 1]],
    [`from=${inMinute(3)}&to=${inMinute(5)}`, [4, 3]],
    [`from=${inMinute(3)}&to=${inMinute(3)}`, []],
    ['from=2026-02-28T21:11:00-03:00', [12, 11]],
    ['from=2026-03-01T05:41:00%2B05:30', [12, 11]],
    ['from=2026-03-01T00:10:59.9999Z', [12, 11]],
    ['from=2026-03-01T00:11:00.0001Z', [12]],
    ['to=2026-03-01T00:03:00.0001Z', [3, 2, 1]],
    ['from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999999Z&type=deposit', [4, 3, 2, 1]],
    [`type=payment&status=failed&minAmount=100&from=${inMinute(1)}`, [8]],
  ])('%s lists what matches', async (filters, expected) => {
    expect(minutes((await walk<Transaction>(ada, `/transactions?${filters}`)).flat())).toEqual(expected);
    const small = await walk<Transaction>(ada, `/transactions?${filters}&limit=2`);
    expect(minutes(small.flat())).toEqual(expected);
    // Few rows are read, so no page is shorter than it can be.
    expect(small.map(({ length }) => length).slice(0, -1)).toEqual(
      Array(Math.max(0, Math.ceil(expected.length / 2) - 1)).fill(2),
    );
  });

  test('the next page repeats the filters', async () => {
    const filters = 'type=deposit&type=payment&minAmount=100&from=2026-03-01T05:30:00%2B05:30&status=failed';
    const next = new URL(nextOf(await get(ada, `/transactions?${filters}&limit=1`)) ?? '', world.url);
    expect([next.pathname, next.searchParams.getAll('type')]).toEqual([
      '/transactions',
      ['deposit', 'payment'],
    ]);
    const { cursor, type: _type, ...others } = Object.fromEntries(next.searchParams);
    expect(cursor).not.toBe('');
    expect(others).toEqual({
      limit: '1',
      minAmount: '100',
      from: '2026-03-01T05:30:00+05:30',
      status: 'failed',
    });
  });

  test('a cursor continues at its place with other filters', async () => {
    const next = new URL(
      nextOf(await get(ada, '/transactions?limit=4&type=withdraw&type=payment')) ?? '',
      world.url,
    );
    const cursor = next.searchParams.get('cursor') ?? '';
    const after = async (filters: string) =>
      minutes((await walk<Transaction>(ada, `/transactions?cursor=${cursor}${filters}`)).flat());
    expect(await after('')).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await after('&status=completed')).toEqual([7, 3]);
    expect(await after(`&to=${inMinute(12)}`)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await after(`&to=${inMinute(3)}`)).toEqual([2, 1]);
    expect(await after(`&from=${inMinute(10)}`)).toEqual([]);
  });

  test('a list with filters shows only the caller’s own rows', async () => {
    const eve = await signUp(world);
    expect((await walk(eve, '/transactions?type=deposit&type=payment')).flat()).toEqual([]);
    const next = nextOf(await get(ada, '/transactions?limit=1&minAmount=1')) ?? '';
    expect(await walk(eve, next)).toEqual([[]]);
  });

  test.each([
    ['type=refund', '/query/type/0'],
    ['type=', '/query/type/0'],
    ['type=deposit,payment', '/query/type/0'],
    ['type=deposit&type=Payment', '/query/type/1'],
    ['type=deposit&type=deposit', '/query/type'],
    ['type[]=deposit', '/query/type[]'],
    ['status=paying', '/query/status/0'],
    ['minAmount=-1', '/query/minAmount'],
    ['minAmount=1.5', '/query/minAmount'],
    ['minAmount=', '/query/minAmount'],
    ['minAmount=ten', '/query/minAmount'],
    ['minAmount=1&minAmount=2', '/query/minAmount'],
    ['maxAmount=9007199254740992', '/query/maxAmount'],
    ['maxAmount=99999999999999999999999', '/query/maxAmount'],
    ['minAmount=2&maxAmount=1', '/query/minAmount'],
    ['minAmountBrl=1', '/query/minAmountBrl'],
    ['from=2026-03-01', '/query/from'],
    ['from=2026-03-01T00:00:00', '/query/from'],
    ['from=2026-03-01T00:00:00+03:00', '/query/from'],
    ['from=2026-03-01 00:00:00Z', '/query/from'],
    ['from=now', '/query/from'],
    ['from=infinity', '/query/from'],
    ['from=', '/query/from'],
    ['from=2026-03-01T00:00:00Z%00', '/query/from'],
    ['from=2026-02-30T00:00:00Z', '/query/from'],
    ['to=2026-03-01T24:00:00Z', '/query/to'],
    ['to=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z', '/query/to'],
    ['from=2026-03-01T00:00:00Z&to=2026-02-28T23:59:59.999Z', '/query/from'],
  ])('%s is refused by the parameter’s name', async (filters, place) => {
    expect(faultIn(await get(ada, `/transactions?${filters}`))).toEqual([400, 'invalid_request', place]);
  });
});

describe('a list with more rows than a page may read', () => {
  /** A page with a limit of one reads at most this many rows. */
  const READ = 500;
  let bea: Person;
  beforeAll(async () => {
    bea = await signUp(world);
    // The rows 1 to 1,500, the newest first, in threes of the same time. Only the last ones of the first two pages, the last one of
    // all, and two in the middle are withdrawals.
    await fill(
      world.databaseUrl,
      `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
      select md5(number::text)::uuid, '${bea.userId}', 'deposit', 'completed', 'GBP', number, 'sandbox',
        '2026-03-01T00:00:00Z'::timestamptz - make_interval(secs => number / 3)
      from generate_series(1, 1500) number`,
    );
  });

  const make = (type: 'deposit' | 'withdraw', amounts: number[]) =>
    db()
      .updateTable('transactions')
      .set({ type })
      .where('user_id', '=', bea.userId)
      .where('source_amount_minor', 'in', amounts)
      .execute();

  /** The amounts in the order of the list, which are the numbers of its rows up to the order of equal times. */
  const amountsOf = async (address: string): Promise<number[][]> =>
    (await walk<Transaction>(bea, address)).map((page) => page.map(({ sourceAmount }) => sourceAmount));

  test('a filter that matches nothing has empty pages, and ends', async () => {
    expect(await amountsOf('/transactions?limit=1&type=payment')).toEqual([[], [], [], []]);
    expect(await amountsOf('/transactions?limit=50&type=payment')).toEqual([[], [], [], []]);
    expect(await amountsOf('/transactions?limit=100&type=payment')).toEqual([[], []]);
    expect(await amountsOf('/transactions?limit=1000&type=payment')).toEqual([[]]);
  });

  test('rows at the edges of what a page reads are each listed once', async () => {
    const all = (await amountsOf('/transactions?limit=1000')).flat();
    const at = (place: number): number => all[place - 1] ?? 0;
    for (const places of [
      [1],
      [READ],
      [READ - 1, READ],
      [READ, READ + 1],
      [READ + 1],
      [READ - 1, READ, READ + 1, READ + 2],
      [1, 2, 3, 2 * READ, 2 * READ + 1],
      [1_500],
      [1_499, 1_500],
      [1, READ, 1_500],
    ]) {
      const amounts = places.map(at);
      await make('withdraw', amounts);
      for (const limit of [1, 2, 3, 50])
        expect([limit, (await amountsOf(`/transactions?type=withdraw&limit=${limit}`)).flat()]).toEqual([
          limit,
          amounts,
        ]);
      await make('deposit', amounts);
    }
  });

  test('a period is searched from its end, whatever lies between it and the newest row', async () => {
    // Rows 1,498 to 1,500 are in the last two seconds.
    const old = '/transactions?limit=2&from=2026-02-28T23:51:40Z&to=2026-02-28T23:51:41Z';
    const pages = await amountsOf(old);
    expect(pages.flat()).toEqual([1_500]);
    expect(pages.length).toBe(1);
  });
});

describe('the list of PIX payments', () => {
  let eva: Person;
  let all: PixPayment[];
  beforeAll(async () => {
    eva = await verified(world, { homeCurrency: 'EUR', deposit: '500.00' });
    for (const amount of [10, 20, 30])
      await reaches(eva, await pay(eva, await quote(eva, amount)), 'completed');
    const failing = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
    await reaches(eva, await pay(eva, await quote(eva, 20.01), failing), 'payout_failed');
    await pay(eva, await quote(eva, 40), { pixKey: 'slow@pix.example', pixKeyType: 'email' });
    all = await until(
      async () => (await walk<PixPayment>(eva, '/pix/payments')).flat(),
      ([newest]) => newest?.status === 'paying',
    );
  });

  const amountsOf = async (filters: string): Promise<string[]> => {
    const small = (await walk<PixPayment>(eva, `/pix/payments?limit=1&${filters}`)).flat();
    expect((await walk<PixPayment>(eva, `/pix/payments?${filters}`)).flat()).toEqual(small);
    return small.map(({ amountBrl }) => amountBrl);
  };

  test.each([
    ['status=completed', ['30.00', '20.00', '10.00']],
    ['status=payout_failed&status=paying', ['40.00', '20.01']],
    ['status=converting&status=manual_review', []],
    ['minAmountBrl=20', ['40.00', '20.01', '30.00', '20.00']],
    ['minAmountBrl=20.01&maxAmountBrl=30.00', ['20.01', '30.00']],
    ['maxAmountBrl=20', ['20.00', '10.00']],
    ['maxAmountBrl=19.99', ['10.00']],
    ['maxAmountBrl=9.9', []],
    ['maxAmountBrl=99999999999999.99', ['40.00', '20.01', '30.00', '20.00', '10.00']],
    ['status=completed&minAmountBrl=20&maxAmountBrl=20', ['20.00']],
  ])('%s lists what matches', async (filters, expected) => {
    expect(await amountsOf(filters)).toEqual(expected);
  });

  test('payments are filtered by what they cost and by when they were made', async () => {
    const [newest, , third] = all;
    const cost = third?.sourceAmount ?? 0;
    expect(await amountsOf(`minAmount=${cost}&maxAmount=${cost}`)).toEqual(['30.00']);
    expect(await amountsOf(`minAmount=${cost + 1}`)).toEqual(['40.00']);
    expect(await amountsOf(`from=${newest?.createdAt}`)).toEqual(['40.00']);
    expect(await amountsOf(`to=${third?.createdAt}`)).toEqual(['20.00', '10.00']);
    expect(await amountsOf(`from=${third?.createdAt}&to=${newest?.createdAt}`)).toEqual(['20.01', '30.00']);
  });

  test('transactions of payments have the figures and the other side that they have in the list without filters', async () => {
    await eva.api.POST('/bank-details', {
      body: { currency: 'EUR', accountHolderName: 'Eva', iban: 'DE89370400440532013000', bic: 'COBADEFF' },
    });
    await withdraw(eva, 100);
    const types = 'type=deposit&type=payment&type=withdraw';
    const shownOf = async (address: string) =>
      (await walk<Transaction>(eva, address))
        .flat()
        .map((one) => ({ ...one, status: null, completedAt: null }));
    expect(await shownOf(`/transactions?${types}`)).toEqual(await shownOf('/transactions'));
  });

  test.each([
    ['status=settling', '/query/status/0'],
    ['status=converting.leg1', '/query/status/0'],
    ['type=payment', '/query/type'],
    ['minAmountBrl=-1', '/query/minAmountBrl'],
    ['minAmountBrl=1.005', '/query/minAmountBrl'],
    ['minAmountBrl=1e3', '/query/minAmountBrl'],
    ['minAmountBrl=01', '/query/minAmountBrl'],
    ['maxAmountBrl=100000000000000', '/query/maxAmountBrl'],
    ['maxAmountBrl=', '/query/maxAmountBrl'],
    ['minAmountBrl=2&maxAmountBrl=1.99', '/query/minAmountBrl'],
    ['minAmount=2&maxAmount=1', '/query/minAmount'],
    ['from=2026-03-01T00:00:01Z&to=2026-03-01T00:00:00Z', '/query/from'],
  ])('%s is refused by the parameter’s name', async (filters, place) => {
    expect(faultIn(await get(eva, `/pix/payments?${filters}`))).toEqual([400, 'invalid_request', place]);
  });
});
