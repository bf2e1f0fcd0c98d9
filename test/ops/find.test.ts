// Operators find people and payments by what a person can name. They see ids, the audit record has no term, and a hash goes with its value.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { hashValues } from '../../src/security/hash-values.ts';
import { createSearchHashes } from '../../src/security/search-hashes.ts';
import type { App } from '../../src/start/app.ts';
import { listByHash } from '../../src/tables/search-hashes.ts';
import { byTable } from '../support/by-table.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { auditOf, type CommandResult, opsHere } from './support.ts';

const { world } = useWorld();
const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
const PHONE = { pixKey: '+5511987654321', pixKeyType: 'phone' } as const;

let ada: Person;
let email: string;
let toJoana: string;
let toPhone: string;

beforeAll(async () => {
  ada = await verified(world, { deposit: '500.00' });
  email = (await ada.ponte.me()).user.email ?? '';
  toJoana = (await reaches(ada, await pay(ada, await quote(ada, 12.34), JOANA), 'completed')).id;
  toPhone = (await reaches(ada, await pay(ada, await quote(ada, 56.78), PHONE), 'completed')).id;
});

const app = (): App => world.service.app;

const find = (what: string, term: string, as: App = app(), ...more: string[]): Promise<CommandResult> =>
  opsHere(as, ['find', what, '--reason', 'ticket 1', ...more], {}, false, `${term}\n`);

async function found(what: string, term: string, as: App = app()): Promise<{ kind: string; id: string }[]> {
  const { code, out, err } = await find(what, term, as, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

/** The app with other search keys, as after a restart with another configuration. */
const withKeys = (...keys: string[]): App => ({
  ...app(),
  sealer: { ...app().sealer, search: createSearchHashes(keys) },
});

const today = (): string => new Date().toISOString().slice(0, 10);

test('a user is found by their e-mail address, however it is written', async () => {
  const user = { kind: 'user', id: ada.userId };
  expect(await found('email', email)).toEqual([user]);
  expect(await found('email', ` ${email.toUpperCase()} `)).toEqual([user]);
  expect(await found('email', `x${email}`)).toEqual([]);
});

test('a user is found by the account number that they pay into, also together with its sort code', async () => {
  const { deposit } = await ada.ponte.me();
  if (deposit === null || !('accountNumber' in deposit)) throw new Error('a British account was expected');
  const { accountNumber, sortCode } = deposit;
  const user = { kind: 'user', id: ada.userId };
  expect(await found('account', accountNumber)).toEqual([user]);
  expect(await found('account', `${sortCode} ${accountNumber}`)).toEqual([user]);
});

test('a payment is found by the PIX key that was paid, in any spelling and without its type', async () => {
  expect(await found('pix-key', 'Joana@PIX.example')).toEqual([{ kind: 'payment', id: toJoana }]);
  expect(await found('pix-key', '+55 (11) 98765-4321')).toEqual([{ kind: 'payment', id: toPhone }]);
  expect(await found('pix-key', 'nobody@pix.example')).toEqual([]);
});

test('a transaction is found by what arrived or what it cost, and its day', async () => {
  const [payment] = await byTable(app().db)
    .selectFrom('pix_payments')
    .select(['transaction_id', 'source_amount_minor'])
    .where('id', '=', toJoana)
    .execute();
  const transaction = { kind: 'payment', id: payment?.transaction_id };
  expect(await found('amount', `12.34 BRL ${today()}`)).toEqual([transaction]);
  const cost = (Number(payment?.source_amount_minor) / 100).toFixed(2);
  expect(await found('amount', `${cost.replace('.', ',')} gbp ${today()}`)).toContainEqual(transaction);
  expect(await found('amount', '12.34 BRL 2026-01-05')).toEqual([]);
});

test.each([
  ['name', 'Ada', 2, '"name" is none of email, account, pix-key, amount'],
  ['email', '', 1, 'Standard input had no term.'],
  ['pix-key', 'Joana', 1, 'That is no PIX key of any type.'],
  ['amount', '12.34', 1, 'An amount and its day look like 250.00 BRL 2026-11-28.'],
  ['amount', '12.34 BRL 2026-13-40', 1, 'An amount and its day look like'],
])('the search for %s "%s" ends with a sentence', async (what, term, code, sentence) => {
  const result = await find(what, term);
  expect([result.code, result.out]).toEqual([code, '']);
  expect(result.err).toContain(sentence);
});

test('people read kinds and ids, and what to do with them', async () => {
  const { out, err } = await find('email', email);
  expect(out).toBe(`user      ${ada.userId}\n`);
  expect(err).toBe('1 id. See one: npm run ops -- show <id>\n');
  expect((await find('email', 'x@y.example')).out).toBe('Nothing here has it.\n');
});

test('a search is audited with its kind and the number of hits, and without the term', async () => {
  await found('pix-key', JOANA.pixKey);
  const entries = await auditOf(world, 'pix-key, 1 found');
  expect(entries.at(-1)).toMatchObject({ action: 'operator.find', details: { reason: 'ticket 1' } });
  expect(JSON.stringify(entries)).not.toContain('joana');
});

test('a search reads at most 20 hashes, so that nobody can try many terms at once', async () => {
  const others = Array.from({ length: 20 }, () => randomBytes(20));
  const hashes = app().sealer.search.hashesOf('email', email);
  const search = (list: Buffer[]) => listByHash(app().db, { what: 'email', hashes: list, limit: 9 });
  expect(await search([...others.slice(1), ...hashes])).toEqual([{ kind: 'user', id: ada.userId }]);
  expect(await search([...others, ...hashes])).toEqual([]);
});

describe('with other search keys', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)] as const;

  test('without a key nothing is found but amounts, and the sentence says why', async () => {
    const { code, err } = await find('email', email, withKeys());
    expect([code, err]).toEqual([
      1,
      'SEARCH_KEY is not set, so nothing was hashed: only an amount can be found.\n',
    ]);
    expect(await found('amount', `12.34 BRL ${today()}`, withKeys())).toHaveLength(1);
  });

  test('values are hashed again under the first key, once, and both keys search meanwhile', async () => {
    expect(await found('email', email, withKeys(first))).toEqual([]);
    const rotated = await opsHere(withKeys(first), ['keys', 'rotate', '--reason', 'a new key']);
    expect(rotated.out).toContain('can be found by a hash under the first search key now.');
    expect(await found('email', email, withKeys(first))).toHaveLength(1);
    expect(await found('pix-key', JOANA.pixKey, withKeys(second, first))).toHaveLength(1);
    expect(await hashValues(withKeys(first))).toBe(0);
    const interrupted = AbortSignal.abort();
    expect(await hashValues(withKeys(second, first), { signal: interrupted })).toBe(0);
    expect(await hashValues(withKeys(second, first))).toBeGreaterThanOrEqual(4);
    expect(await found('email', email, withKeys(first))).toEqual([]);
    expect(await found('email', email, withKeys(second))).toHaveLength(1);
  });
});

test('the hashes of a closed account’s address and account number go in the commit that clears them, and do not come back', async () => {
  // The sandbox gives both users the same address.
  const bea = await verified(world);
  expect(await found('email', email)).toContainEqual({ kind: 'user', id: bea.userId });
  await bea.ponte.closeAccount();
  const hashes = async () => ({
    user: await byTable(app().db)
      .selectFrom('users')
      .select('email_hash')
      .where('id', '=', bea.userId)
      .execute(),
    accounts: await byTable(app().db)
      .selectFrom('provider_accounts')
      .select('deposit_hash')
      .where('user_id', '=', bea.userId)
      .where('deposit_hash', 'is not', null)
      .execute(),
  });
  expect(await hashes()).toEqual({ user: [{ email_hash: null }], accounts: [] });
  await hashValues(app());
  expect(await hashes()).toEqual({ user: [{ email_hash: null }], accounts: [] });
  expect(await found('email', email)).toEqual([{ kind: 'user', id: ada.userId }]);
});
