// The users of a run: they sign in, verify, save their bank details and pay money in, as every user must before paying.
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../random.ts';
import { type Answer, type Client, createClient } from './client.ts';
import type { Counts } from './counts.ts';
import type { Journal } from './journal.ts';

export type Person = {
  id: string;
  client: Client;
  random: Random;
  home: 'GBP' | 'EUR';
  deposit: Record<string, string>;
  /** Amounts of withdrawals sent without a key, by which repetitions and new withdrawals differ: never the same twice. */
  nextPlainAmount: () => number;
};

export type Population = {
  urls: [string, string];
  sandboxUrl: string;
  seed: number;
  counts: Counts;
  /** The journal of what apps are shown. */
  shown: Journal;
};

/**
 * How long a user polls for an account to become active. When its callback is lost and the first polls of the provider
 * go unanswered, it is the poll after ten minutes that finds it.
 */
const PATIENCE_MS = 15 * 60_000;

/** Signs up, verifies and waits for the home account. */
export async function join(population: Population, index: number): Promise<Person> {
  const { urls, sandboxUrl, seed, counts, shown } = population;
  const random = createRandom(seed, `person ${index}`);
  const anonymous = createClient(urls, { random, counts });
  const { idToken } = await toSandbox(`${sandboxUrl}/identity/b/token`, {
    subject: `chaos-${seed}-${index}`,
    email: `person${index}@example.com`,
    emailVerified: true,
    name: `Person ${index}`,
  });
  const session = await anonymous.ask({
    method: 'POST',
    path: '/auth/session',
    json: { provider: 'identity_provider_b', idToken },
  });
  const token = String(must(session).body['sessionToken']);
  const { id } = session.body['user'] as { id: string };
  const client = createClient(urls, { token, random, counts, shown: { journal: shown, userId: id } });

  const home = index % 2 === 0 ? 'GBP' : 'EUR';
  must(await client.ask({ method: 'PATCH', path: '/me', json: { homeCurrency: home } }));
  const kyc = must(await client.ask({ method: 'POST', path: '/kyc/start' }));
  await fillIn(kyc.body['verificationUrl']);
  await until(
    async () => (await client.ask({ method: 'GET', path: '/kyc/status' })).body['hasActiveAccount'],
  );
  must(await client.ask({ method: 'POST', path: '/bank-details', json: bankDetails[home] }));
  const me = must(await client.ask({ method: 'GET', path: '/me' }));
  let plain = 20_000;
  return {
    id,
    client,
    random,
    home,
    deposit: me.body['deposit'] as Record<string, string>,
    nextPlainAmount: () => (plain += 1),
  };
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
  const { accountNumber, sortCode, iban } = person.deposit;
  await toSandbox(`${sandboxUrl}/sandbox/deposits`, { accountNumber, sortCode, iban, amount });
  counts.deposits += 1;
}

const bankDetails = {
  GBP: { currency: 'GBP', accountHolderName: 'Ada Silva', accountNumber: '12345678', sortCode: '12-34-56' },
  EUR: {
    currency: 'EUR',
    accountHolderName: 'Ada Silva',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
  },
};

function must(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

async function fillIn(address: unknown): Promise<void> {
  if (typeof address !== 'string') return;
  const body = new URLSearchParams({ full_name: 'Ada Silva', email: 'ada@example.com' });
  await until(async () => (await fetch(address, { method: 'POST', body }).catch(() => null))?.ok);
}

/** The sandbox may be down for a moment. A deposit whose answer was lost may come twice: then there are two. */
async function toSandbox(url: string, json: object): Promise<Record<string, string>> {
  let reply: Record<string, string> = {};
  await until(async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    }).catch(() => null);
    if (response?.ok) reply = (await response.json()) as Record<string, string>;
    return response?.ok;
  });
  return reply;
}

async function until(isSo: () => Promise<unknown>): Promise<void> {
  for (const begun = Date.now(); !(await isSo()); await pause(200))
    if (Date.now() - begun > PATIENCE_MS) throw new Error('a person waited too long');
}
