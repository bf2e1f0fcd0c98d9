// Another user's ids, in every place of the contract that takes an id. The answer is byte for byte that of an unknown id.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { magicCode } from '../../sandbox/magic.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { contract, type Operation, type Schema } from './contract.ts';
import { ask, codeIn, type RawResponse, withoutDate } from './raw.ts';
import { exampleFor, filled, sendTo } from './send-to.ts';

// The set-up gives two users everything that users can have, which takes time on a busy machine.
let ada: Person;
let bea: Person;
/** The ids of all of Ada's rows. */
let hers: Record<string, string>;
/** Each user's payment whose payout failed. Its owner can retry it. */
let failed: { ada: string; bea: string };

const { world } = useWorld();
beforeAll(async () => {
  [ada, bea] = await Promise.all([
    verified(world, { deposit: '100.00' }),
    verified(world, { deposit: '100.00' }),
  ]);
  const [ofBea, ofAda] = await Promise.all([payInVain(bea), payInVain(ada), withdrawTwice(bea)]);
  failed = { ada: ofAda, bea: ofBea };
  hers = await everythingOf(ada);
});

const bankDetails = { accountHolderName: 'Ada Silva', accountNumber: '31926819', sortCode: '60-16-13' };

async function payInVain(person: Person): Promise<string> {
  const recipient = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(person, await quote(person, 10), recipient);
  await reaches(person, id, 'payout_failed');
  return id;
}

async function withdrawTwice({ api }: Person): Promise<string> {
  must(await api.POST('/bank-details', { body: { currency: 'GBP', ...bankDetails } }));
  must(await api.POST('/withdraws', { body: { amount: 100 } }));
  return must(await api.POST('/withdraws', { body: { amount: 200 } })).id;
}

async function everythingOf(person: Person): Promise<Record<string, string>> {
  const { api, userId } = person;
  const payment = await pay(person, await quote(person, 5));
  const { transactionId } = await reaches(person, payment, 'completed');
  const joana = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  const last = await pay(person, await quote(person, 5), joana);
  await reaches(person, last, 'completed');
  const withdraw = await withdrawTwice(person);
  const transactions = must(await api.GET('/transactions'));
  return {
    user: userId,
    payment,
    'last payment': last,
    'payment that failed': failed.ada,
    'transaction of a payment': transactionId,
    deposit: transactions.find(({ type }) => type === 'deposit')?.id ?? '',
    withdraw,
    quote: (await quote(person, 7)).quoteId.replace('quote_', ''),
    'look-up': (await person.ponte.lookUpRecipient(joana)).lookupId,
    code: (await person.ponte.readCode({ code: magicCode('open') })).codeId,
    recipient: must(await api.GET('/pix/recipients'))[0]?.id ?? '',
    'name check': (await person.ponte.checkBankDetails({ currency: 'GBP' })).checkId,
    'bank details': must(await api.GET('/bank-details'))[0]?.id ?? '',
    'data request': must(await api.POST('/me/data-request', { body: { type: 'access' } })).id,
  };
}

type IdPosition = { called: string; operation: Operation; where: string; name: string; example: string };

/** The header with an id that the client makes up. */
const OF_THE_REQUEST = 'X-Request-Id';

const isIdLike = (name: string, { format }: Schema): boolean =>
  name !== OF_THE_REQUEST && (/^id$|Ids?$|_id$|uuid/.test(name) || format === 'uuid');
const places: IdPosition[] = contract.flatMap((operation) => [
  ...operation.parameters
    .filter(({ name, schema }) => isIdLike(name, schema))
    .map(({ in: where, name, example }) => placeOf(operation, where, name, example)),
  ...operation.forms.flatMap(({ properties, examples }) =>
    Object.entries(properties)
      .filter(([name, schema]) => isIdLike(name, schema))
      .map(([name]) => placeOf(operation, 'body', name, exampleWith(name, examples)[name])),
  ),
]);

/** Returns the first example of a body that has this property, so that no other id is refused before it. */
function exampleWith(name: string, examples: Record<string, unknown>[]): Record<string, unknown> {
  return examples.find((example) => name in example) ?? {};
}

function placeOf(operation: Operation, where: string, name: string, example: unknown): IdPosition {
  return { called: `${operation.id} ${where}.${name}`, operation, where, name, example: String(example) };
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** Writes an id as the contract's example in that place does: plain, or with a prefix. */
const written = ({ example }: IdPosition, id: string): string => example.replace(UUID, id);

/** Returns what an id needs beside it: a payment reads its look-up or its code if it has a valid quote. */
const besides = async (name: string, person: Person): Promise<object> =>
  name === 'lookupId' || name === 'codeId' ? { quoteId: (await quote(person, 7)).quoteId } : {};

/** Sends an operation's example with this id in its place. */
async function tryId(place: IdPosition, person: Person, id: string): Promise<RawResponse> {
  const { operation, where, name } = place;
  const text = written(place, id);
  const path = filled(world, operation.path, where === 'path' ? text : undefined);
  const example = exampleWith(name, operation.forms[0]?.examples ?? []);
  const said =
    where === 'body'
      ? JSON.stringify({ ...example, ...(await besides(name, person)), [name]: text })
      : exampleFor(operation).body;
  const heard = await sendTo(
    world,
    { method: operation.method, path },
    {
      authorization: `Bearer ${person.token}`,
      body: said,
    },
  );
  return withoutDate(heard);
}

test('every place of the contract that takes an id is tried with ids of the form of its example', () => {
  expect(places.length).toBeGreaterThan(3);
  const withoutId = places.filter(({ example }) => !UUID.test(example)).map(({ called }) => called);
  expect(withoutId, 'Give each of these an example with a UUID in the contract.').toEqual([]);
});

test('every other parameter of the contract is known to be something else', () => {
  const others = contract.flatMap(({ parameters }) =>
    parameters.filter(({ name, schema }) => !isIdLike(name, schema) && mayBeText(schema)),
  );
  // The key and the cursor are tried below. The secret belongs to no user. Filters have patterns that no id matches.
  expect(
    [...new Set(others.map(({ name }) => name))].toSorted(),
    'If a new parameter takes an id, its name ends in Id, or its format is uuid: then it is tried above. If not, add it here.',
  ).toEqual([
    'Accept-Language',
    'Idempotency-Key',
    OF_THE_REQUEST,
    'cursor',
    'from',
    'maxAmountBrl',
    'minAmountBrl',
    'secret',
    'to',
  ]);
});

/** Numbers, booleans and fixed lists of values cannot contain an id. */
const mayBeText = ({ type, enum: values, items }: Schema): boolean =>
  values === undefined &&
  type !== 'integer' &&
  type !== 'boolean' &&
  (items === undefined || mayBeText(items));

describe.each(places)('$called', (place) => {
  test('an id of another user, of any kind, is answered byte for byte like an unknown id', async () => {
    const unknown = await tryId(place, bea, randomUUID());
    expect(codeIn(unknown)).toEqual([404, 'not_found']);
    for (const [what, id] of Object.entries(hers)) {
      expect(id).toMatch(/^[\da-f-]{36}$/);
      expect([what, await tryId(place, bea, id)]).toEqual([what, unknown]);
    }
  });

  test('an id of the caller’s own, but of another kind, is answered like an unknown id', async () => {
    const unknown = await tryId(place, bea, randomUUID());
    const transaction = must(await bea.api.GET('/transactions')).find(({ type }) => type === 'deposit');
    const ids = {
      user: bea.userId,
      ...(place.called !== 'getTransaction path.id' && { deposit: transaction?.id }),
    };
    for (const [what, id] of Object.entries(ids))
      expect([what, await tryId(place, bea, id ?? '')]).toEqual([what, unknown]);
  });
});

const listed = contract.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));
const readable = contract.filter(
  ({ method, parameters, needsSession }) =>
    method === 'GET' && needsSession && parameters.every(({ in: where }) => where !== 'path'),
);
const read = (person: Person, address: string): Promise<RawResponse> =>
  ask(world, 'GET', address, { headers: { authorization: `Bearer ${person.token}` } });
const idsIn = ({ text }: RawResponse): string[] => (JSON.parse(text) as { id: string }[]).map(({ id }) => id);

test.each(readable)('$method $path shows no id of another user', async ({ path }) => {
  const { status, text } = await read(bea, path);
  expect(status).toBe(200);
  for (const id of Object.values(hers)) expect(text).not.toContain(id);
});

test('the ids of a user are shown to that user', async () => {
  const texts = await Promise.all(readable.map(async ({ path }) => (await read(ada, path)).text));
  // A quote, a look-up, a code, a check and a data request are shown once, when they are made.
  const {
    quote: _quote,
    'look-up': _lookup,
    'name check': _check,
    code: _code,
    'data request': _request,
    ...shown
  } = hers;
  for (const [what, id] of Object.entries(shown))
    expect([what, texts.some((text) => text.includes(id))]).toEqual([what, true]);
});

test.each(listed)('a cursor of another user finds only the caller’s own rows in $path', async ({ path }) => {
  const first = await read(ada, `${path}?limit=1`);
  const [, link = ''] = first.headers.find(([name]) => name === 'Link') ?? [];
  const [, next = ''] = /^<([^>]+)>/.exec(link) ?? [];
  const [own, found] = [idsIn(await read(bea, path)), idsIn(await read(bea, next))];
  expect(idsIn(await read(ada, next))).toHaveLength(1);
  expect(own).toEqual(expect.arrayContaining(found));
});

describe('an Idempotency-Key that another user has used', () => {
  type Keyed = Record<string, (person: 'ada' | 'bea') => { path?: string; body?: object }>;
  const keyed: Keyed = {
    createWithdraw: () => ({ body: { amount: 300 } }),
    createDataRequest: () => ({ body: { type: 'portability' } }),
    retryPixPayment: (person) => ({ path: `/pix/payments/${failed[person]}/retry` }),
  };
  const operations = contract.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  );

  test('every operation that takes an Idempotency-Key is tried with the key of another user', () => {
    expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(keyed).toSorted());
  });

  test.each(operations)(
    'an Idempotency-Key of another user is a new one to $id',
    async ({ id, method, path }) => {
      const key = randomUUID();
      const made = async (who: 'ada' | 'bea'): Promise<[number, string]> => {
        const said = keyed[id]?.(who) ?? {};
        const { status, text } = await sendTo(
          world,
          { method, path: said.path ?? path },
          {
            authorization: `Bearer ${(who === 'ada' ? ada : bea).token}`,
            headers: { 'idempotency-key': key },
            ...(said.body && { body: JSON.stringify(said.body) }),
          },
        );
        return [status, (JSON.parse(text) as { id: string }).id];
      };
      const [[ofAda, herId], [ofBea, ownId]] = [await made('ada'), await made('bea')];
      expect([ofAda, ofBea]).toEqual(id === 'retryPixPayment' ? [200, 200] : [201, 201]);
      expect(ownId).not.toBe(herId);
      expect(ownId).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

test('everything still belongs to its owner, unchanged, after these requests', async () => {
  const payments = must(await ada.api.GET('/pix/payments')).map(({ id }) => id);
  expect(payments).toEqual([hers['last payment'], hers['payment'], failed.ada]);
  expect(must(await ada.api.GET('/pix/recipients'))[0]?.id).toBe(hers['recipient']);
  const body = { quoteId: `quote_${hers['quote']}`, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  expect((await ada.api.POST('/pix/payments', { body })).response.status).toBe(201);
});
