// A user of the app who signs in, verifies, deposits and pays, over HTTP, with the typed client.

import * as journey from '../../harness/people/person.ts';
import * as sandbox from '../../harness/people/sandbox.ts';
import type { PixPayment, PixPaymentRequest, PixQuote } from '../../packages/client/src/index.ts';
import type { TokenRequest } from '../../sandbox/identity/tokens.ts';
import { byTable } from './by-table.ts';
import { issuedInItsPast } from './clock.ts';
import { assertDeclared } from './contract.ts';
import { markPersonal } from './leak-watch.ts';
import { PATIENCE_MS, until } from './until.ts';
import type { World } from './world.ts';

export type Person = journey.Person & {
  /** The openapi-fetch client that `ponte` uses. Its answers have a status, and it does not throw refusals. */
  api: journey.Person['ponte']['api'];
  userId: string;
  token: string;
  world: World;
};

/** Sends each request once, with a long time-out, because a busy machine answers slowly. */
const ONCE = { tries: 1, timeoutMs: 300_000 };

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** Returns the data of a success. Any other answer fails the test. */
export function must<Data>({ data, error, response }: Answer<Data>): Data {
  if (data === undefined)
    throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  return data;
}

/** The status and the code of a refusal, as tests compare them. */
export const refusalIn = ({ error, response }: Answer<unknown>): [number, string | undefined] => [
  response.status,
  (error as { code?: string } | undefined)?.code,
];

export async function mintIdToken(world: World, letter: 'a' | 'b', claims: TokenRequest): Promise<string> {
  const idToken = await sandbox.mintIdToken(world, letter, claims);
  markPersonal({ ...claims, idToken });
  return idToken;
}

/** A user who has only signed in. */
export async function signUp(world: World, claims: TokenRequest = {}): Promise<Person> {
  const person = journey.createPerson(world, ONCE);
  const { api } = person.ponte;
  api.use({
    onRequest: async ({ request }) => markPersonal(await jsonOf(request)),
    onResponse: ({ request, response }) => assertDeclared(request.method, request.url, response),
  });
  markPersonal({ ...journey.ada, ...claims });
  const { user, sessionToken } = await journey.signIn(person, { ...issuedInItsPast(), ...claims });
  return { ...person, api, userId: user.id, token: sessionToken, world };
}

/** A verified user with active accounts and, if requested, a deposit. */
export async function verified(
  world: World,
  {
    homeCurrency = 'GBP',
    deposit,
    fullName = 'Ada Silva',
  }: { homeCurrency?: 'GBP' | 'EUR'; deposit?: string; fullName?: string } = {},
): Promise<Person> {
  const person = await signUp(world);
  markPersonal({ fullName });
  await journey.openAccount(person, { homeCurrency, fullName, withinMs: PATIENCE_MS });
  // Paying also needs the BRL account, which the API does not show.
  await until(
    () => accountStates(world, person.userId),
    (states) => states.length > 1 && states.every((state) => state === 'active'),
  );
  if (deposit !== undefined) await receiveDeposit(person, deposit);
  return person;
}

export async function passVerification(person: Person, fullName = 'Ada Silva'): Promise<void> {
  markPersonal({ fullName });
  await journey.passVerification(person, fullName);
}

/**
 * Sends money to the user's deposit instructions and waits until it is in their list.
 * @param reference the payer's text.
 */
export const receiveDeposit = (person: Person, amount: string, reference?: string): Promise<void> =>
  journey.payIn(person, amount, { withinMs: PATIENCE_MS, ...(reference !== undefined && { reference }) });

export const quote = ({ ponte }: Person, amountBrl: number): Promise<PixQuote> => ponte.quote(amountBrl);

/** Confirms a quote to a CPF key, or to the given recipient. */
export const pay = async (
  { ponte }: Person,
  { quoteId }: PixQuote,
  to: Partial<PixPaymentRequest> = {},
): Promise<string> =>
  (await ponte.pay({ quoteId, pixKey: '52998224725', pixKeyType: 'cpf', ...to })).pixPaymentId;

export const reaches = (person: Person, id: string, status: PixPayment['status']): Promise<PixPayment> =>
  journey.reaches(person, id, status, PATIENCE_MS);

/**
 * Saves details of a bank account in pounds, and withdraws to it.
 * @returns the withdrawal's id.
 */
export async function withdraw({ api, ponte }: Person, amount: number): Promise<string> {
  const account = { accountHolderName: 'Ada Silva', accountNumber: '12345678', sortCode: '12-34-56' };
  await ponte.saveBankDetails({ currency: 'GBP', ...account });
  // The client's method would send an Idempotency-Key.
  return must(await api.POST('/withdraws', { body: { amount } })).id;
}

export const balanceOf = async ({ ponte }: Person): Promise<number | undefined> =>
  (await ponte.me()).balance?.amount;

async function jsonOf(request: Request): Promise<unknown> {
  const text = request.body === null ? '' : await request.clone().text();
  return text === '' ? null : JSON.parse(text);
}

const accountStates = async (world: World, userId: string): Promise<string[]> =>
  (
    await byTable(world.service.app.db)
      .selectFrom('provider_accounts')
      .select('state')
      .where('user_id', '=', userId)
      .execute()
  ).map(({ state }) => state);

export async function postJson<Reply>(address: string, body: unknown): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Reply>;
}
