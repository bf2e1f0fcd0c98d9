// A user with an app that does not give up: a request whose connection breaks is repeated, byte for byte, until it is
// answered.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../openapi/generated/openapi.ts';
import { must, postJson } from '../../test/support/person.ts';
import { until } from '../../test/support/until.ts';
import type { CrashWorld } from './world.ts';

export type Person = { api: Client<paths>; subject: string; world: CrashWorld };

const PATIENCE_MS = 180_000;
const PAUSE_MS = 150;

/** @throws the error or the answer of the last try, after its time limit. */
async function persist(request: Request): Promise<Response> {
  for (const begun = Date.now(); ; await pause(PAUSE_MS)) {
    const isLast = Date.now() - begun > PATIENCE_MS;
    try {
      const response = await fetch(request.clone());
      // These mean "nothing was created" by the contract, and may be repeated.
      const isForLater = response.status === 502 || response.status === 503;
      if (!isForLater || isLast) return response;
    } catch (error) {
      if (isLast) throw error;
    }
  }
}

/** A user of the app who has not signed in yet. */
export const stranger = (world: CrashWorld): Person => ({
  api: createClient<paths>({ baseUrl: world.url, fetch: persist }),
  subject: randomUUID(),
  world,
});

export async function signIn({ api, subject, world }: Person): Promise<void> {
  const claims = { subject, email: 'ada@example.com', emailVerified: true, name: 'Ada Silva' };
  const { idToken } = await postJson<{ idToken: string }>(`${world.sandboxUrl}/identity/b/token`, claims);
  const session = must(
    await api.POST('/auth/session', { body: { provider: 'identity_provider_b', idToken } }),
  );
  api.use({
    onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${session.sessionToken}`),
  });
}

export async function signedUp(world: CrashWorld): Promise<Person> {
  const person = stranger(world);
  await signIn(person);
  must(await person.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  return person;
}

/** Passes the hosted verification, and polls the result only when there is one. */
export async function verify({ api, world }: Person): Promise<void> {
  const { verificationUrl } = must(await api.POST('/kyc/start', {}));
  const token = verificationUrl?.split('/').at(-1) ?? '';
  const body = new URLSearchParams({ full_name: 'Ada Silva', email: 'ada@example.com' });
  const response = await fetch(verificationUrl ?? '', { method: 'POST', body });
  if (!response.ok) throw new Error(`the hosted page answered ${response.status}`);
  const owner = world.books.prepare(
    'select status from owners join verifications on owner_uuid = owners.uuid where verifications.token = ?',
  );
  await until(
    async () => owner.get(token),
    (seen) => seen?.['status'] === 'COMPLETED',
    PATIENCE_MS,
  );
  await until(
    async () => must(await api.GET('/kyc/status')),
    ({ status }) => status === 'completed',
    PATIENCE_MS,
  );
}

/** Waits for every account, also for those that the API does not show. */
export async function hasAccounts({ world, subject }: Person): Promise<void> {
  await until(
    async () =>
      (
        await world.database.query<{ state: string }>(
          `select state from provider_accounts where user_id = (select id from users where auth_subject = $1)`,
          [subject],
        )
      ).rows,
    (accounts) => accounts.length > 1 && accounts.every(({ state }) => state === 'active'),
    PATIENCE_MS,
  );
}

const DEPOSIT = '1000.00';

const sendMoney = ({ world }: Person, deposit: Deposit & { amount: string }): Promise<unknown> =>
  postJson(`${world.sandboxUrl}/sandbox/deposits`, deposit);

/** Sends money and waits until the app shows it. */
export async function depositMoney(person: Person, instructions: Deposit): Promise<void> {
  const { api } = person;
  const before = must(await api.GET('/transactions')).length;
  await sendMoney(person, { ...instructions, amount: DEPOSIT });
  await until(
    async () => must(await api.GET('/transactions')).length,
    (count) => count > before,
    PATIENCE_MS,
  );
}

export type Deposit = { accountNumber?: string | undefined; sortCode?: string | undefined };

/** The deposit instructions of this user. */
export async function depositInstructions({ api }: Person): Promise<Deposit> {
  const { deposit } = must(await api.GET('/me'));
  return { accountNumber: deposit?.accountNumber, sortCode: deposit?.sortCode };
}

const residents = new WeakMap<CrashWorld, Promise<Person>>();

/** A user with money and bank details, who has one run after the other in the same world. */
export function resident(world: CrashWorld): Promise<Person> {
  const person = residents.get(world) ?? wealthy(world);
  residents.set(world, person);
  return person;
}

/** A verified user with more money than can be spent in a day, and a bank account to send it to. */
async function wealthy(world: CrashWorld): Promise<Person> {
  const person = await verified(world);
  await sendMoney(person, { ...(await depositInstructions(person)), amount: '1000000.00' });
  const account = { accountHolderName: 'Ada Silva', accountNumber: '31926819', sortCode: '60-16-13' };
  must(await person.api.POST('/bank-details', { body: { currency: 'GBP', ...account } }));
  return person;
}

async function verified(world: CrashWorld): Promise<Person> {
  const person = await signedUp(world);
  await verify(person);
  await hasAccounts(person);
  return person;
}
