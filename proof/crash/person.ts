// A user with an app that does not give up: a request whose connection breaks is repeated, byte for byte, until it is answered.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as journey from '../../harness/people/person.ts';
import { type DepositInstructions, sendMoney } from '../../harness/people/sandbox.ts';
import { until } from '../../harness/people/until.ts';
import type { CrashEnvironment } from './environment.ts';

export type Person = journey.Person & { subject: string; environment: CrashEnvironment };

const PATIENCE_MS = 180_000;
const PAUSE_MS = 150;

/**
 * Repeats the request until it is answered or its time limit is over.
 * @throws the error or the answer of the last try, after the time limit.
 */
async function persist(request: Request): Promise<Response> {
  for (const begun = Date.now(); ; await pause(PAUSE_MS)) {
    const isLast = Date.now() - begun > PATIENCE_MS;
    try {
      const response = await fetch(request.clone());
      // By the contract, these statuses mean that nothing was created, so the request may be repeated.
      const isForLater = response.status === 502 || response.status === 503;
      if (!isForLater || isLast) return response;
    } catch (error) {
      if (isLast) throw error;
    }
  }
}

/** A user of the app who has not signed in yet. */
export const stranger = (environment: CrashEnvironment): Person => ({
  ...journey.createPerson(environment, { fetch: persist, tries: 1, timeoutMs: 2 * PATIENCE_MS }),
  subject: randomUUID(),
  environment,
});

export const signIn = async (person: Person): Promise<void> =>
  void (await journey.signIn(person, { subject: person.subject }));

export async function signedUp(environment: CrashEnvironment): Promise<Person> {
  const person = stranger(environment);
  await signIn(person);
  await person.ponte.updateMe({ homeCurrency: 'GBP' });
  return person;
}

/** Passes the hosted verification, and polls the result only when there is one. */
export async function verify(person: Person): Promise<void> {
  const { ponte, environment } = person;
  const verificationUrl = await journey.passVerification(person);
  const token = verificationUrl?.split('/').at(-1) ?? '';
  const owner = environment.books.prepare(
    'select status from owners join verifications on owner_uuid = owners.uuid where verifications.token = ?',
  );
  await until(
    async () => owner.get(token),
    (seen) => seen?.['status'] === 'COMPLETED',
    PATIENCE_MS,
  );
  await until(ponte.verification, ({ status }) => status === 'completed', PATIENCE_MS);
}

/** Waits for every account, including those that the API does not show. */
export async function hasAccounts({ environment, subject }: Person): Promise<void> {
  await until(
    async () =>
      (
        await environment.database.query<{ state: string }>(
          `select state from provider_accounts where user_id = (select id from users where auth_subject = $1)`,
          [subject],
        )
      ).rows,
    (accounts) => accounts.length > 1 && accounts.every(({ state }) => state === 'active'),
    PATIENCE_MS,
  );
}

export const depositMoney = (person: Person, to: DepositInstructions): Promise<void> =>
  journey.payIn(person, '1000.00', { to, withinMs: PATIENCE_MS });

const residents = new WeakMap<CrashEnvironment, Promise<Person>>();

/** A user with money and bank details, shared by successive runs in the same environment. */
export function resident(environment: CrashEnvironment): Promise<Person> {
  const person = residents.get(environment) ?? wealthy(environment);
  residents.set(environment, person);
  return person;
}

export const bankAccount = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '31926819',
  sortCode: '60-16-13',
} as const;

/** A verified user with more money than can be spent in a day, and a bank account to send it to. */
async function wealthy(environment: CrashEnvironment): Promise<Person> {
  const person = await verified(environment);
  await sendMoney(person, await journey.depositInstructions(person), '1000000.00');
  await person.ponte.saveBankDetails(bankAccount);
  return person;
}

export async function verified(environment: CrashEnvironment): Promise<Person> {
  const person = await signedUp(environment);
  await verify(person);
  await hasAccounts(person);
  return person;
}
