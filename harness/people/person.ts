// A person with the app, from the first sign-in to a payment: the journey that the demo, the tests, the proofs and the benchmarks
// share. A refusal of the API is thrown as a PonteError, a lost answer as a PonteUnreachable.
import { randomUUID } from 'node:crypto';
import {
  createPonte,
  type HomeCurrency,
  type Options,
  type PixPayment,
  type PixPaymentRequest,
  type Ponte,
  PonteError,
  type Session,
} from '../../packages/client/src/index.ts';
import type { TokenRequest } from '../../sandbox/identity/tokens.ts';
import { all } from './all.ts';
import {
  type DepositInstructions,
  fillInHostedPage,
  mintIdToken,
  type Sandbox,
  sendMoney,
} from './sandbox.ts';
import { until } from './until.ts';

export type Person = Sandbox & { ponte: Ponte };

/** A person who has the app and has not signed in yet. */
export const createPerson = (
  { url, sandboxUrl, fetchSandbox }: Sandbox & { url: string },
  options: Omit<Options, 'baseUrl'> = {},
): Person => ({
  ponte: createPonte({ baseUrl: url, ...options }),
  sandboxUrl,
  ...(fetchSandbox && { fetchSandbox }),
});

/** The claims of a person's ID token, unless a caller passes others. */
export const ada = { email: 'ada@example.com', emailVerified: true, name: 'Ada Silva' } as const;

/**
 * Signs in with an ID token of the identity provider B.
 * @param claims without a subject, they are those of a new person.
 */
export async function signIn(person: Person, claims: TokenRequest = {}): Promise<Session> {
  const idToken = await mintIdToken(person, 'b', { subject: randomUUID(), ...ada, ...claims });
  return person.ponte.signIn({ provider: 'identity_provider_b', idToken });
}

/**
 * Chooses the home currency, passes the verification, and waits for the active account.
 * @throws if the account is not active in time.
 */
export async function openAccount(
  person: Person,
  {
    homeCurrency = 'GBP',
    fullName,
    withinMs,
  }: { homeCurrency?: HomeCurrency; fullName?: string; withinMs?: number } = {},
): Promise<void> {
  await person.ponte.updateMe({ homeCurrency });
  await passVerification(person, fullName);
  await until(person.ponte.verification, ({ hasActiveAccount }) => hasActiveAccount, withinMs);
}

/**
 * Starts the verification and fills in the hosted page. A verification that has its outcome has no page.
 * @param fullName decides the outcome (see sandbox/magic.ts).
 * @returns the page's address, or null without a page.
 */
export async function passVerification(person: Person, fullName?: string): Promise<string | null> {
  const { verificationUrl } = await person.ponte.startVerification();
  if (verificationUrl !== null)
    await fillInHostedPage(person, verificationUrl, fullName === undefined ? {} : { fullName });
  return verificationUrl;
}

/**
 * Returns the bank details to which money for this person must be sent.
 * @throws if the account does not have them in time.
 */
export async function depositInstructions(
  { ponte }: Person,
  withinMs?: number,
): Promise<DepositInstructions> {
  const { deposit } = await until(ponte.me, (me) => me.deposit !== null, withinMs);
  return deposit ?? {};
}

/**
 * Pays money in and waits until it is in the list of transactions.
 * @param amount pounds or euros, as decimal text.
 * @throws if it is not there in time.
 */
export async function payIn(
  person: Person,
  amount: string,
  { to, reference, withinMs }: { to?: DepositInstructions; reference?: string; withinMs?: number } = {},
): Promise<void> {
  const transactions = async (): Promise<number> => (await all(person.ponte.transactions())).length;
  const before = await transactions();
  await sendMoney(person, to ?? (await depositInstructions(person, withinMs)), amount, reference);
  await until(transactions, (count) => count > before, withinMs);
}

/**
 * Signs in, opens an account and pays money in, as every user must before paying.
 * @param amount pounds, as decimal text.
 * @throws if a step takes longer than `withinMs`.
 */
export async function join(
  person: Person,
  amount: string,
  { claims, withinMs }: { claims?: TokenRequest; withinMs?: number } = {},
): Promise<Session> {
  const limit = withinMs === undefined ? {} : { withinMs };
  const session = await signIn(person, claims);
  await openAccount(person, limit);
  await payIn(person, amount, limit);
  return session;
}

/**
 * Requests a price and confirms it. If the price has expired meanwhile, requests another.
 * @param amountBrl reais.
 * @returns the payment's id.
 */
export async function pay(
  { ponte }: Person,
  amountBrl: number,
  to: Omit<PixPaymentRequest, 'quoteId'>,
): Promise<string> {
  for (;;) {
    const { quoteId } = await ponte.quote(amountBrl);
    try {
      return (await ponte.pay({ quoteId, ...to })).pixPaymentId;
    } catch (error) {
      if (!(error instanceof PonteError && error.is('quote_expired'))) throw error;
    }
  }
}

/**
 * Waits until the payment has the status.
 * @throws if it does not have the status in time.
 */
export const reaches = (
  { ponte }: Person,
  id: string,
  status: PixPayment['status'],
  withinMs?: number,
): Promise<PixPayment> =>
  until(
    () => ponte.payment(id),
    (payment) => payment.status === status,
    withinMs,
  );
