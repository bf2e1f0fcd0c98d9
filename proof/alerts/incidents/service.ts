// Incidents of the processes, their database, their settings and their users.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseProxy } from '../../../harness/database-proxy/database-proxy.ts';
import { createPerson, join, pay } from '../../../harness/people/person.ts';
import type { Environment } from '../environment.ts';
import { HOUR_MS, type Incident, payTo, repeat, signInTo, signInWithKeysOf } from './incident.ts';

/** What a service without its database or its worker also does. */
const STANDSTILL = [
  'PonteConfirmationsFail',
  'PonteServerErrors',
  'PontePaymentsRefused',
  'PontePaymentsObjective',
];

export const serviceIncidents: Incident[] = [
  {
    name: 'no-process',
    injected: 'both processes are killed',
    begin: async ({ processes }) => {
      for (const one of processes) one.kill(HOUR_MS);
    },
    rings: ['PonteNoProcess'],
    mayRing: ['PonteProcessDown'],
    silent: {
      PonteDatabaseDown: 'no process says so',
      PonteTrafficStops: 'it compares with the former week, and there is none',
    },
  },
  {
    name: 'one-process-dead',
    injected: 'one of two processes is killed',
    begin: async ({ processes: [, second] }) => second.kill(HOUR_MS),
    rings: ['PonteProcessDown'],
    silent: {
      PonteNoProcess: 'the other process runs',
      PonteOutboxGrows: 'the other process takes over the work',
    },
  },
  {
    name: 'one-process-restarts',
    injected: 'one of two processes ends soon after each start',
    begin: async ({ processes: [, second] }, signal) => {
      for (; !signal.aborted; await pause(BETWEEN_KILLS_MS)) {
        await second.ready();
        await pause(BETWEEN_KILLS_MS);
        second.kill();
      }
    },
    rings: ['PonteProcessRestarts'],
    silent: { PonteProcessDown: 'the process answers again within two minutes' },
  },
  {
    name: 'no-worker',
    injected: 'a release starts both processes with `ROLE=api`',
    begin: async (environment) => {
      // The waits of users with much unfinished work do not count as an overload, so others pay once each.
      const others = Array.from({ length: 3 }, () => createPerson(environment));
      await Promise.all(others.map((person) => join(person, '100.00')));
      await environment.reconfigure({ ROLE: 'api' });
      const to = { pixKey: 'shop@example.com', pixKeyType: 'email' } as const;
      await Promise.all(others.map((person) => pay(person, 10, to)));
    },
    rings: ['PontePaymentsRefused', 'PonteOutboxGrows'],
    mayRing: ['PontePaymentsObjective', 'PonteConfirmationsFail', 'PonteConfirmationsObjective'],
    silent: {
      PonteProcessDown: 'both processes answer',
      PonteStateTooLong: 'payments in flight have minutes left',
    },
  },
  {
    name: 'worker-stops-and-goes',
    injected: 'the only worker stands still for 45 s of each minute',
    begin: async ({ processes: [, worker], reconfigure }, signal) => {
      await reconfigure({ ROLE: 'api' }, {});
      await repeat(signal, () => worker.pause(45_000), 15_000);
    },
    rings: ['PonteWorkWaits', 'PonteCallbacksLate'],
    mayRing: [...STANDSTILL, 'PonteProcessDown', 'PonteCallbacksIncomplete', 'PonteCircuitOpen'],
    silent: { PonteOutboxGrows: 'work is done within a minute', PonteProcessRestarts: 'it does not restart' },
  },
  {
    name: 'database-frozen',
    injected: 'the database answers no process',
    begin: ({ databases }, signal) => freeze(databases, signal),
    rings: ['PonteDatabaseDown'],
    mayRing: STANDSTILL,
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
    name: 'database-slow',
    injected: 'each statement takes 150 ms more, and a process has two connections',
    begin: async ({ databases, reconfigure }, signal) => {
      await reconfigure({ DATABASE_POOL_SIZE: '2' });
      const faults = databases.map((database) => database.slowDown(150));
      await once(signal, 'abort');
      for (const fault of faults) fault.goOn();
    },
    rings: ['PonteConnectionsAwaited'],
    mayRing: [
      ...STANDSTILL,
      'PonteWorkWaits',
      'PonteOutboxGrows',
      'PonteDatabaseDown',
      'PonteProcessWithoutDatabase',
      'PonteCallbacksIncomplete',
    ],
    silent: { PonteProviderSlow: 'the provider answers', PonteProcessDown: 'the processes answer' },
  },
  {
    name: 'bad-release',
    injected: 'one operation answers 500, because a column that it reads has another name',
    begin: async ({ people: [person], sql }, signal) => {
      await sql('alter table bank_details rename column created_at to made_at');
      await repeat(signal, async () => person?.ponte.bankDetails());
    },
    spoils: true,
    rings: ['PonteServerErrors'],
    silent: { PonteConfirmationsFail: 'users pay', PonteDatabaseDown: 'the database answers' },
  },
  {
    name: 'other-audience',
    injected: 'the app signs in with a client id that the service does not accept',
    begin: signInTo('another.app'),
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'keys-unreachable',
    injected: 'the keys of an identity provider cannot be fetched',
    begin: signInWithKeysOf(() => NOWHERE),
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'other-keys',
    injected: 'the keys of an identity provider are those of another one',
    begin: signInWithKeysOf((sandboxUrl) => `${sandboxUrl}/identity/b/jwks.json`),
    rings: ['PonteSignInsFail'],
    silent: { PonteSessionsRefused: 'signed-in users are accepted' },
  },
  {
    name: 'other-session-secret',
    injected: 'a release has another `SESSION_SECRET`, and every session is refused',
    begin: ({ reconfigure }) => reconfigure({ SESSION_SECRET: randomBytes(32).toString('base64url') }),
    // The clients forget sessions that were refused.
    spoils: true,
    rings: ['PonteSessionsRefused'],
    silent: {
      PonteSignInsFail: 'users who sign in again are accepted',
      PonteServerErrors: '401 is an answer',
    },
  },
  {
    name: 'clients-give-up',
    injected: 'one of fifteen clients gives up before a confirmation is answered',
    begin: giveUp,
    rings: ['PonteConfirmationsObjective'],
    silent: {
      PonteConfirmationsFail: 'less than a tenth of the confirmations fail',
      PonteServerErrors: 'the service does not fail',
    },
  },
  {
    name: 'payment-stuck',
    injected: 'a payout has been running for two hours (its row is made older)',
    begin: async (environment, signal) => {
      await payTo(environment, 'slow');
      await repeat(signal, () =>
        environment.sql(
          "update pix_payments set state_entered_at = now() - interval '2 hours' where state = 'paying' and created_at < now() - interval '20 seconds'",
        ),
      );
    },
    spoils: true,
    rings: ['PonteStateTooLong'],
    silent: {
      PonteManualReview: 'the payout may still end by itself',
      PonteOutboxGrows: 'it waits for the provider, not for us',
    },
  },
];

/** Prometheus must scrape each run of the process. */
const BETWEEN_KILLS_MS = 10_000;
const NOWHERE = 'http://127.0.0.1:9/jwks.json';

async function freeze(databases: DatabaseProxy[], signal: AbortSignal): Promise<void> {
  const faults = databases.map((database) => database.stall());
  await once(signal, 'abort');
  for (const fault of faults) fault.goOn();
}

/** Of so many confirmations, one client gives up. */
const ONE_OF = 15;
const GIVES_UP_AFTER_MS = 5;

async function giveUp({ people: [person] }: Environment, signal: AbortSignal): Promise<void> {
  let count = 0;
  await repeat(
    signal,
    async () => {
      if (!person) return;
      const { quoteId } = await person.ponte.quote(20);
      count += 1;
      const options = count % ONE_OF === 0 ? { signal: AbortSignal.timeout(GIVES_UP_AFTER_MS) } : {};
      await person.ponte.pay({ quoteId, pixKey: 'shop@example.com', pixKeyType: 'email' }, options);
    },
    300,
  );
}
