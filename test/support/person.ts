// A user of the app: signs in, verifies, deposits and pays, over HTTP, with a client typed by the contract.
import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { PixPayment, PixPaymentRequest, PixQuote, paths } from '../../openapi/generated/openapi.ts';
import { assertPromised } from './contract.ts';
import { markPersonal } from './leak-watch.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export type Person = { api: Client<paths>; userId: string; token: string; world: World };

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a success; anything else fails the test with the answer. */
export function must<Data>({ data, error, response }: Answer<Data>): Data {
  if (data === undefined)
    throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  return data;
}

/** Status and code of a refusal, as tests compare them. */
export const refusalIn = ({ error, response }: Answer<unknown>): [number, string | undefined] => [
  response.status,
  (error as { code?: string } | undefined)?.code,
];

export type IdTokenClaims = {
  subject: string;
  email?: string;
  emailVerified?: boolean;
  name?: string;
  audience?: string;
  expiresInSeconds?: number;
};

export async function mintIdToken(world: World, provider: 'a' | 'b', claims: IdTokenClaims): Promise<string> {
  const { idToken } = await postJson<{ idToken: string }>(
    `${world.sandboxUrl}/identity/${provider}/token`,
    claims,
  );
  markPersonal({ ...claims, idToken });
  return idToken;
}

/** A user who has only signed in. */
export async function signUp(world: World, claims: Partial<IdTokenClaims> = {}): Promise<Person> {
  const api = createClient<paths>({ baseUrl: world.url });
  api.use({
    onRequest: async ({ request }) => markPersonal(await jsonOf(request)),
    onResponse: ({ request, response }) => assertPromised(request.method, request.url, response),
  });
  const idToken = await mintIdToken(world, 'b', {
    subject: randomUUID(),
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada Silva',
    ...claims,
  });
  const session = must(
    await api.POST('/auth/session', { body: { provider: 'identity_provider_b', idToken } }),
  );
  api.use({
    onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${session.sessionToken}`),
  });
  return { api, userId: session.user.id, token: session.sessionToken, world };
}

/** A verified user with active accounts and, where requested, a deposit. */
export async function verified(
  world: World,
  {
    homeCurrency = 'GBP',
    deposit,
    fullName = 'Ada Silva',
  }: { homeCurrency?: 'GBP' | 'EUR'; deposit?: string; fullName?: string } = {},
): Promise<Person> {
  const person = await signUp(world);
  must(await person.api.PATCH('/me', { body: { homeCurrency } }));
  await passVerification(person, fullName);
  await until(
    async () => must(await person.api.GET('/kyc/status')),
    ({ hasActiveAccount }) => hasActiveAccount,
  );
  // Paying needs the BRL account too, which the API does not show.
  await until(
    () => accountStates(world, person.userId),
    (states) => states.length > 1 && states.every((state) => state === 'active'),
  );
  if (deposit !== undefined) await receiveDeposit(person, deposit);
  return person;
}

export async function passVerification({ api }: Person, fullName = 'Ada Silva'): Promise<void> {
  const { verificationUrl } = must(await api.POST('/kyc/start', {}));
  markPersonal({ fullName });
  const body = new URLSearchParams({ full_name: fullName, email: 'ada@example.com' });
  const response = await fetch(verificationUrl ?? '', { method: 'POST', body });
  if (!response.ok) throw new Error(`the hosted page answered ${response.status}`);
}

/** Sends money to the person's deposit instructions and waits until it is in their list. @param reference what the payer writes. */
export async function receiveDeposit(person: Person, amount: string, reference?: string): Promise<void> {
  const before = must(await person.api.GET('/transactions')).length;
  const { deposit } = must(await person.api.GET('/me'));
  const { accountNumber, sortCode, iban } = deposit ?? {};
  await postJson(`${person.world.sandboxUrl}/sandbox/deposits`, {
    accountNumber,
    sortCode,
    iban,
    amount,
    reference,
  });
  await until(
    async () => must(await person.api.GET('/transactions')).length,
    (count) => count > before,
  );
}

export const quote = async ({ api }: Person, amountBrl: number): Promise<PixQuote> =>
  must(await api.POST('/pix/quote', { body: { amountBrl } }));

/** Confirms a quote to a CPF key, or to the given recipient. */
export const pay = async (
  { api }: Person,
  { quoteId }: PixQuote,
  to: Partial<PixPaymentRequest> = {},
): Promise<string> =>
  must(
    await api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf', ...to } }),
  ).pixPaymentId;

/** Waits until the payment has the status, and returns it. */
export const reaches = ({ api }: Person, id: string, status: PixPayment['status']): Promise<PixPayment> =>
  until(
    async () => must(await api.GET('/pix/payments/{id}', { params: { path: { id } } })),
    (payment) => payment.status === status,
  );

/** Saves bank details of the user's own bank in pounds, and withdraws to them. @returns the withdrawal's id. */
export async function withdraw({ api }: Person, amount: number): Promise<string> {
  const body = {
    currency: 'GBP',
    accountHolderName: 'Ada Silva',
    accountNumber: '12345678',
    sortCode: '12-34-56',
  } as const;
  must(await api.POST('/bank-details', { body }));
  return must(await api.POST('/withdraws', { body: { amount } })).id;
}

export const balanceOf = async ({ api }: Person): Promise<number | undefined> =>
  must(await api.GET('/me')).balance?.amount;

async function jsonOf(request: Request): Promise<unknown> {
  const text = request.body === null ? '' : await request.clone().text();
  return text === '' ? null : JSON.parse(text);
}

const accountStates = async (world: World, userId: string): Promise<string[]> =>
  (
    await world.service.app.db
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
