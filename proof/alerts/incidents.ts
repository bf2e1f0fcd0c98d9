// The incidents of the drill: what is injected, which alerts must ring, and which related alerts must stay silent.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { createPerson, openAccount, pay, signIn } from '../../harness/people/person.ts';
import { mintIdToken } from '../../harness/people/sandbox.ts';
import type { Environment } from './environment.ts';

export type Incident = {
  name: string;
  /** The fault, as a clause. */
  injected: string;
  /** Settings of the service. */
  env?: (sandboxUrl: string) => NodeJS.ProcessEnv;
  /** Injects the fault. Work that lasts ends with the signal. */
  begin: (environment: Environment, signal: AbortSignal) => Promise<void>;
  /** The alerts that must ring within ten minutes. */
  rings: string[];
  /** Alerts that may ring as well, because of the same cause. */
  mayRing?: string[];
  /** Alerts about something similar that stay silent, and why that is right. */
  silent: Record<string, string>;
};

const fail = ({ control }: Environment, configuration: object): Promise<void> =>
  control('PUT', '/fault-injection', configuration);

const signInRepeatedly: Incident['begin'] = (environment, signal) => {
  const { ponte } = createPerson(environment);
  return repeat(signal, async () => {
    const idToken = await mintIdToken(environment, 'a', { subject: 'ada' });
    await ponte.signIn({ provider: 'identity_provider_a', idToken });
  });
};

export const incidents: Incident[] = [
  {
    name: 'provider-unreachable',
    injected: 'the provider answers every call with 503',
    begin: (environment) => fail(environment, { replies: { error503: 1 } }),
    rings: ['PonteCircuitOpen'],
    silent: {
      PonteStateTooLong: 'payments in flight have minutes left',
      PonteWorkFails: 'it waits 15 minutes, because retries are normal',
    },
  },
  {
    name: 'conversions-fail',
    injected: 'the provider fails every conversion',
    begin: (environment) => fail(environment, { business: { failedTransfer: 1 } }),
    rings: ['PontePaymentsFail'],
    silent: {
      PonteCircuitOpen: 'the provider answers',
      PontePayoutsFail: 'no payout begins',
      PonteManualReview: 'no money has moved',
    },
  },
  {
    name: 'withdrawals-fail',
    injected: 'the provider fails every withdrawal',
    begin: async ({ people: [person] }, signal) => {
      if (!person) return;
      await person.ponte.saveBankDetails({
        currency: 'GBP',
        accountHolderName: 'Ada Silva',
        accountNumber: '31926819',
        sortCode: '60-16-13',
      });
      await repeat(signal, () => person.ponte.withdraw(FAILING_WITHDRAWAL));
    },
    rings: ['PonteWithdrawalsFail'],
    silent: { PontePaymentsFail: 'payments complete' },
  },
  {
    name: 'other-audience',
    injected: 'the app signs in with a client id that the service does not accept',
    begin: (environment, signal) => {
      const person = createPerson(environment);
      return repeat(signal, () => signIn(person, { audience: 'another.app' }));
    },
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'keys-unreachable',
    injected: 'the keys of an identity provider cannot be fetched',
    env: () => ({ IDENTITY_A_JWKS_URL: NOWHERE }),
    begin: signInRepeatedly,
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'other-keys',
    injected: 'the keys of an identity provider are those of another one',
    env: (sandboxUrl) => ({ IDENTITY_A_JWKS_URL: `${sandboxUrl}/identity/b/jwks.json` }),
    begin: signInRepeatedly,
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'provider-redirects',
    injected: 'the provider answers every call with a redirect',
    begin: (environment) => fail(environment, { replies: { redirect: 1 } }),
    rings: ['PonteConfirmationsFail', 'PonteProviderFails'],
    silent: { PonteCircuitOpen: 'the provider answers, so no circuit opens' },
  },
  {
    name: 'provider-fails-in-part',
    injected: 'the provider answers a third of the calls with 500',
    begin: (environment) => fail(environment, { replies: { error500: 0.33 } }),
    rings: ['PonteProviderFails'],
    mayRing: ['PonteConfirmationsFail'],
    silent: { PonteCircuitOpen: 'less than 70 % of the calls fail', PontePaymentsFail: 'retries succeed' },
  },
  {
    name: 'provider-refuses',
    injected: 'the provider refuses every quote',
    begin: ({ control }) =>
      control('POST', '/fault-injection/next', {
        operation: 'createQuote',
        fault: 'refused',
        times: 100_000,
      }),
    rings: ['PonteProviderRefuses'],
    silent: {
      PonteConfirmationsFail: 'the app gets 422, which is an answer',
      PontePaymentsFail: 'no payment is confirmed',
    },
  },
  {
    name: 'verifications-fail',
    injected: 'the provider fails every verification',
    begin: (environment, signal) =>
      repeat(signal, async () => {
        const person = createPerson(environment);
        await signIn(person);
        await openAccount(person, { fullName: 'Ada Fail', withinMs: 0 });
      }),
    rings: ['PonteVerificationsFail'],
    silent: { PonteStateTooLong: 'a failed verification waits for its user, without a limit' },
  },
  {
    name: 'callbacks-lost-in-part',
    injected: 'half of the callbacks do not arrive',
    begin: (environment) => fail(environment, { callbacks: { lost: 0.5 } }),
    rings: ['PonteCallbacksIncomplete'],
    silent: {
      PonteCallbacksMissing: 'some callbacks arrive',
      PontePaymentsSlow: 'polls end the payments within five minutes',
    },
  },
  {
    name: 'callbacks-to-another-path',
    injected: 'callbacks arrive with another secret in their path',
    begin: ({ url }, signal) =>
      repeat(signal, () =>
        fetch(`${url}/webhooks/provider/${'x'.repeat(43)}`, { method: 'POST', body: '{}' }),
      ),
    rings: ['PonteCallbacksRejected'],
    silent: { PonteCallbacksMissing: 'callbacks with the right secret arrive' },
  },
  {
    name: 'database-frozen',
    injected: 'the database answers no process',
    begin: ({ databases }, signal) => freeze(databases, signal),
    rings: ['PonteDatabaseDown'],
    mayRing: ['PonteConfirmationsFail', 'PonteServerErrors'],
    silent: {
      PonteProcessDown: 'the processes run, and report that they lack the database',
      PonteProcessWithoutDatabase: 'no process has the database',
    },
  },
  {
    name: 'one-process-without-database',
    injected: 'the database answers one of two processes',
    begin: ({ databases: [, second] }, signal) => freeze([second], signal),
    rings: ['PonteProcessWithoutDatabase'],
    silent: {
      PonteDatabaseDown: 'the other process reaches the database',
      PonteOutboxGrows: 'the other process takes over the work',
    },
  },
  {
    name: 'one-process-dead',
    injected: 'one of two processes is killed',
    begin: async ({ worker }) => worker.kill(HOUR_MS),
    rings: ['PonteProcessDown'],
    silent: {
      PonteNoProcess: 'the other process runs',
      PonteOutboxGrows: 'the other process takes over the work',
    },
  },
  {
    name: 'one-process-restarts',
    injected: 'one of two processes ends soon after each start',
    begin: async ({ worker }, signal) => {
      for (; !signal.aborted; await pause(BETWEEN_KILLS_MS)) {
        await worker.ready();
        await pause(BETWEEN_KILLS_MS);
        worker.kill();
      }
    },
    rings: ['PonteProcessRestarts'],
    silent: { PonteProcessDown: 'the process answers again within two minutes' },
  },
  {
    name: 'wrong-amount',
    injected: 'a conversion delivers one centavo less than quoted',
    begin: async ({ people: [person] }) => {
      if (person) await pay(person, 8.88, { pixKey: 'shop@example.com', pixKeyType: 'email' });
    },
    rings: ['PonteManualReview'],
    silent: { PontePayoutsFail: 'no payout began' },
  },
];

const HOUR_MS = 3_600_000;
const EVERY_MS = 1_000;
/** Prometheus must scrape each run of the process. */
const BETWEEN_KILLS_MS = 10_000;
/** The sandbox fails withdrawals of £13.13. */
const FAILING_WITHDRAWAL = 1_313;
const NOWHERE = 'http://127.0.0.1:9/jwks.json';

async function freeze(databases: DatabaseProxy[], signal: AbortSignal): Promise<void> {
  const faults = databases.map((database) => database.stall());
  await once(signal, 'abort');
  for (const fault of faults) fault.goOn();
}

/** Repeats the work until the signal. Its refusals are what the incident causes. */
async function repeat(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await pause(EVERY_MS);
  }
}
