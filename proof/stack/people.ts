// The users of a run: they sign in, verify, save their bank details and pay money in, as every user must before paying.

import { createPerson, depositInstructions, openAccount, signIn } from '../../harness/people/person.ts';
import { type DepositInstructions, sendMoney } from '../../harness/people/sandbox.ts';
import { until } from '../../harness/people/until.ts';
import type { BankDetailsRequest, HomeCurrency } from '../../packages/client/src/index.ts';
import { createRandom, type Random } from '../random.ts';
import { type Client, createClient, fetchThrough, GIVE_UP_MS } from './client.ts';
import type { Counts } from './counts.ts';
import type { Journal } from './journal.ts';

export type Person = {
  id: string;
  client: Client;
  random: Random;
  homeCurrency: HomeCurrency;
  deposit: DepositInstructions;
  /**
   * Returns the amount of the next withdrawal without a key. It never returns an amount twice, because repetitions and new
   * withdrawals without a key differ by their amount.
   */
  nextPlainAmount: () => number;
};

export type Population = {
  urls: string[];
  sandboxUrl: string;
  seed: number;
  counts: Counts;
  shown: Journal;
  /** Returns a session token to use instead of the one from the sign-in. */
  olderSession?: (userId: string) => Promise<string>;
};

/**
 * How long a user polls until an account is active. If its callback is lost and the provider does not answer the first polls, the
 * poll after ten minutes finds it.
 */
const PATIENCE_MS = 15 * 60_000;

const SIGN_UP_CONCURRENCY = 8;
/** Several times what one user pays on average. The poor users have almost nothing. */
const PLENTY = '20000.00';
const LITTLE = '30.00';
/** Returns whether the user at this position has almost no money. */
export const isPoor = (index: number): boolean => index % 10 === 7;

/** Signs up this number of users, a few at a time, and gives each of them money. */
export async function gather(population: Population, users: number): Promise<Person[]> {
  const people: Person[] = [];
  const waiting = Array.from({ length: users }, (_, index) => index);
  await Promise.all(
    Array.from({ length: SIGN_UP_CONCURRENCY }, async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const person = await join(population, index);
        await payIn(population, person, isPoor(index) ? LITTLE : PLENTY);
        people[index] = person;
      }
    }),
  );
  return people;
}

/** @throws if no user has money. */
export function withMoney(people: Person[]): [Person, ...Person[]] {
  const [first, ...others] = people.filter((_, index) => !isPoor(index));
  if (!first) throw new Error('nobody has money');
  return [first, ...others];
}

/**
 * Signs up, verifies and waits for the home account.
 * @throws if a call had no answer, or the account is not active in time.
 */
export async function join(population: Population, index: number): Promise<Person> {
  const { urls, sandboxUrl, seed, counts, shown, olderSession } = population;
  const random = createRandom(seed, `person ${index}`);
  let client = createClient(urls, { random, counts });
  // The run's client repeats requests and sends them to any instance, so the app's client must wait for longer.
  const person = createPerson(
    { url: urls[0] ?? '', sandboxUrl, fetchSandbox },
    { fetch: (request) => fetchThrough(client, request), tries: 1, timeoutMs: 2 * GIVE_UP_MS },
  );
  const { user, sessionToken } = await signIn(person, {
    subject: `chaos-${seed}-${index}`,
    email: `person${index}@example.com`,
    name: `Person ${index}`,
  });
  const { id } = user;
  const token = (await olderSession?.(id)) ?? sessionToken;
  client = createClient(urls, { token, random, counts, shown: { journal: shown, userId: id } });

  const homeCurrency = index % 2 === 0 ? 'GBP' : 'EUR';
  await openAccount(person, { homeCurrency, withinMs: PATIENCE_MS });
  await person.ponte.saveBankDetails(bankDetails[homeCurrency]);
  const deposit = await depositInstructions(person);
  let plain = 20_000;
  return { id, client, random, homeCurrency, deposit, nextPlainAmount: () => (plain += 1) };
}

/**
 * Pays money in from a bank. A deposit that the provider confirmed has arrived there. The service records it without a request of
 * the app.
 */
export async function payIn(
  { sandboxUrl, counts }: Population,
  person: Person,
  amount: string,
): Promise<void> {
  await sendMoney({ sandboxUrl, fetchSandbox }, person.deposit, amount);
  counts.deposits += 1;
}

const bankDetails: Record<HomeCurrency, BankDetailsRequest> = {
  GBP: { currency: 'GBP', accountHolderName: 'Ada Silva', accountNumber: '12345678', sortCode: '12-34-56' },
  EUR: {
    currency: 'EUR',
    accountHolderName: 'Ada Silva',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
  },
};

/** The sandbox may be down for a moment. If the answer to a deposit was lost, the repetition may be a second deposit. */
async function fetchSandbox(address: string, init: RequestInit): Promise<Response> {
  const response = await until(
    () => fetch(address, init).catch(() => null),
    (answer) => answer?.ok ?? false,
    PATIENCE_MS,
  );
  return response ?? Response.error();
}
