// Lists are paged: newest first, each row once, and without other users' rows, even while rows are added.
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { byTable } from '../support/by-table.ts';
import { type Answered, call, faultIn } from '../support/http.ts';
import { type Person, pay, quote, reaches, signUp, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

type Item = { id: string; createdAt: string };
let ada: Person;
let eve: Person;

const { world } = useWorld();
beforeAll(async () => {
  [ada, eve] = await Promise.all([signUp(world), signUp(world)]);
  // Three times with three rows each: rows of the same time are distinguished by their ids.
  for (const minute of [1, 2, 3]) for (let row = 0; row < 3; row += 1) await deposit(ada, minute);
  await deposit(eve, 2);
});

async function deposit({ userId }: Person, minute: number): Promise<string> {
  const id = newId();
  const row = {
    id,
    user_id: userId,
    type: 'deposit',
    status: 'completed',
    source_currency: 'GBP',
    source_amount_minor: 100,
    provider: 'sandbox',
    created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
  } as const;
  await byTable(world.service.app.db).insertInto('transactions').values(row).execute();
  return id;
}
const get = ({ token }: Person, address: string) => call(world, 'GET', address, { token });
const itemsIn = ({ body }: Answered) => body as unknown as Item[];
const nextOf = ({ headers }: Answered): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

async function walk(person: Person, from: string, meanwhile = async () => {}): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let next: string | undefined = from; next !== undefined; ) {
    const answer: Answered = await get(person, next);
    pages.push(itemsIn(answer));
    next = nextOf(answer);
    await meanwhile();
  }
  return pages;
}

test('a list that fits into one page is whole and has no next page', async () => {
  for (const address of ['/transactions', '/transactions?limit=9', '/transactions?limit=1000']) {
    const answer = await get(ada, address);
    expect([itemsIn(answer).length, nextOf(answer)]).toEqual([9, undefined]);
  }
});

test.each([1, 2, 4, 8])('a list in pages of %i has each row once, the newest first', async (limit) => {
  const whole = itemsIn(await get(ada, '/transactions'));
  const pages = await walk(ada, `/transactions?limit=${limit}`);
  expect(pages.flat()).toEqual(whole);
  expect(pages.map(({ length }) => length)).toEqual([
    ...Array(Math.ceil(9 / limit) - 1).fill(limit),
    9 % limit || limit,
  ]);
  const order = whole.map(({ createdAt, id }) => `${createdAt} ${id}`);
  expect(order).toEqual(order.toSorted().toReversed());
});

test('the pages of a list stay consistent while newer rows are added', async () => {
  const before = itemsIn(await get(ada, '/transactions'));
  const pages = await walk(ada, '/transactions?limit=2', async () => void (await deposit(ada, 60)));
  expect(pages.flat()).toEqual(before);
  expect(itemsIn(await get(ada, '/transactions')).length).toBeGreaterThan(before.length);
});

test('a list shows only the caller’s own rows for any cursor', async () => {
  const next = nextOf(await get(ada, '/transactions?limit=1')) ?? '';
  expect(itemsIn(await get(eve, next)).length).toBe(1);
  const mine = new Set((await walk(ada, '/transactions?limit=3')).flat().map(({ id }) => id));
  for (const { id } of (await walk(eve, '/transactions?limit=3')).flat()) expect(mine.has(id)).toBe(false);
});

test('a cursor that was changed is refused', async () => {
  const next = nextOf(await get(ada, '/transactions?limit=1')) ?? '';
  for (const changed of [next.slice(0, -1), `${next}A`, next.replace('cursor=', 'cursor=A')])
    expect(faultIn(await get(ada, changed))).toEqual([400, 'invalid_request', '/query/cursor']);
});

describe.each(['/pix/payments', '/withdraws'])('the list of %s', (address) => {
  test('the list is paged, the newest first', async () => {
    const bea = await verified(world, { homeCurrency: 'EUR', deposit: '100.00' });
    expect((await get(bea, address)).text).toBe('[]');
    const body = {
      currency: 'EUR',
      accountHolderName: 'Bea',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFF',
    } as const;
    await bea.api.POST('/bank-details', { body });
    for (const amount of [1, 2, 3]) {
      if (address === '/withdraws') await bea.api.POST('/withdraws', { body: { amount } });
      else await reaches(bea, await pay(bea, await quote(bea, amount)), 'completed');
    }
    const pages = await walk(bea, `${address}?limit=1`);
    expect(pages.map(({ length }) => length)).toEqual([1, 1, 1]);
    const amounts = pages
      .flat()
      .map((item) => ('amountBrl' in item ? item.amountBrl : (item as never)['sourceAmount']));
    expect(amounts.map(Number)).toEqual([3, 2, 1]);
    expect((await get(ada, address)).text).toBe('[]');
  });
});
