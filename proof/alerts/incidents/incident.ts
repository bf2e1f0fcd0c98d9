// What an incident is, and the steps that several incidents share.
import { setTimeout as pause } from 'node:timers/promises';
import { createPerson, type Person, pay, signIn } from '../../../harness/people/person.ts';
import { mintIdToken } from '../../../harness/people/sandbox.ts';
import { until } from '../../../harness/people/until.ts';
import { PonteError } from '../../../packages/client/src/index.ts';
import type { Environment } from '../environment.ts';

export type Begin = (environment: Environment, signal: AbortSignal) => Promise<unknown>;

/** A part of the past, in minutes before now, and the pages that it repeats. Prometheus knows nothing between two parts. */
export type Past = { pages: 'healthy' | 'hit'; fromMinutes: number; untilMinutes: number };

export type Incident = {
  name: string;
  /** The fault, as a clause. */
  injected: string;
  /** Injects the fault. Work that lasts ends with the signal. */
  begin: Begin;
  /** For an incident that takes more than ten minutes: what Prometheus had scraped before the run. */
  past?: Past[];
  /** Whether the users who pay all the time stop when the fault begins. */
  usersStop?: true;
  /** The alerts that must ring within ten minutes. */
  rings: string[];
  /** Alerts that may ring as well, because of the same cause. */
  mayRing?: string[];
  /** Whether it leaves something that only a new service does not have. */
  spoils?: true;
  /** Alerts about something similar that stay silent, and why that is right. */
  silent: Record<string, string>;
};

export const HOUR_MS = 3_600_000;
const EVERY_MS = 1_000;

export const fail = ({ control }: Environment, configuration: object): Promise<void> =>
  control('PUT', '/fault-injection', configuration);

/** Lets the next calls of an operation fail. */
export const failNext = ({ control }: Environment, operation: string, fault: string, more: object = {}) =>
  control('POST', '/fault-injection/next', { operation, fault, times: 100_000, ...more });

/** Repeats the work until the signal. Its refusals are what the incident causes. */
export async function repeat(
  signal: AbortSignal,
  work: () => Promise<unknown>,
  everyMs = EVERY_MS,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Signs in again and again at a service that has other keys of the identity provider A. */
export const signInWithKeysOf =
  (address: (sandboxUrl: string) => string): Begin =>
  async (environment, signal) => {
    await environment.reconfigure({ IDENTITY_A_JWKS_URL: address(environment.sandboxUrl) });
    const { ponte } = createPerson(environment);
    await repeat(signal, async () => {
      const idToken = await mintIdToken(environment, 'a', { subject: 'ada' });
      await ponte.signIn({ provider: 'identity_provider_a', idToken });
    });
  };

export const signInTo =
  (audience: string): Begin =>
  (environment, signal) => {
    const person = createPerson(environment);
    return repeat(signal, () => signIn(person, { audience }));
  };

/**
 * Pays one of the sandbox's keys, as soon as the service accepts a payment.
 * @returns the payment's id.
 */
export async function payTo({ people: [person] }: Environment, key: string, amountBrl = 33): Promise<string> {
  const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email' } as const;
  for (;;) {
    try {
      return await pay(person as Person, amountBrl, to);
    } catch (error) {
      if (
        !(
          error instanceof PonteError &&
          ['overloaded', 'unavailable'].some((code) => error.is(code as 'overloaded'))
        )
      )
        throw error;
      await pause(EVERY_MS);
    }
  }
}

/**
 * Pays one of the sandbox's keys.
 * @returns the provider's id of the payout, once it has this status.
 */
export async function payoutTo(environment: Environment, key: string, status: string): Promise<string> {
  const id = await payTo(environment, key);
  const [payout] = await until(
    () =>
      environment.sql(
        `select provider_ref as ref from provider_resources
         where subject_id = '${id}' and kind = 'payout' and snapshot_status = '${status}'`,
      ) as Promise<{ ref: string }[]>,
    ({ length }) => length > 0,
  );
  return payout?.ref ?? '';
}
