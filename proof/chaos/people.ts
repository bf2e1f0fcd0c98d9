// The users of a run: they sign in, verify, save their bank details and pay money in, as every user must before paying.
import type { BankDetailsRequest, HomeCurrency } from '../../packages/client/src/index.ts';
import { createPerson, depositInstructions, openAccount, signIn } from '../../scripts/journey/person.ts';
import { type DepositInstructions, sendMoney } from '../../scripts/journey/sandbox.ts';
import { until } from '../../scripts/journey/until.ts';
import { createRandom, type Random } from '../random.ts';
import { type Client, createClient, fetchThrough } from './client.ts';
import type { Counts } from './counts.ts';
import type { Journal } from './journal.ts';

export type Person = {
  id: string;
  client: Client;
  random: Random;
  deposit: DepositInstructions;
  /** Amounts of withdrawals sent without a key, by which repetitions and new withdrawals differ: never the same twice. */
  nextPlainAmount: () => number;
};

export type Population = {
  urls: string[];
  sandboxUrl: string;
  seed: number;
  counts: Counts;
  /** The journal of what apps are shown. */
  shown: Journal;
  /** The token to use instead of the one that signing in has brought. */
  olderSession?: (userId: string) => Promise<string>;
};

/**
 * How long a user polls for an account to become active. When its callback is lost and the first polls of the provider
 * go unanswered, it is the poll after ten minutes that finds it.
 */
const PATIENCE_MS = 15 * 60_000;

/** Signs up, verifies and waits for the home account. @throws when a call had no answer, or the account is not active in time. */
export async function join(population: Population, index: number): Promise<Person> {
  const { urls, sandboxUrl, seed, counts, shown, olderSession } = population;
  const random = createRandom(seed, `person ${index}`);
  let client = createClient(urls, { random, counts });
  // The client of the run repeats, and asks any instance.
  const person = createPerson(
    { url: urls[0] ?? '', sandboxUrl, fetchSandbox },
    { fetch: (request) => fetchThrough(client, request), tries: 1 },
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
  return { id, client, random, deposit, nextPlainAmount: () => (plain += 1) };
}

/**
 * Pays money in from a bank. A deposit that the provider confirmed has arrived there; our own books record it by
 * themselves.
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

/** The sandbox may be down for a moment. A deposit whose answer was lost may come twice: then there are two. */
async function fetchSandbox(address: string, init: RequestInit): Promise<Response> {
  const response = await until(
    () => fetch(address, init).catch(() => null),
    (answer) => answer?.ok ?? false,
    PATIENCE_MS,
  );
  return response ?? Response.error();
}
