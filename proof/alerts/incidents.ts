// The incidents of the drill: what is injected, which alerts must ring, and which related alerts must stay silent.
import { pay } from '../../harness/people/person.ts';
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
    name: 'wrong-amount',
    injected: 'a conversion delivers one centavo less than quoted',
    begin: async ({ people: [person] }) => {
      if (person) await pay(person, 8.88, { pixKey: 'shop@example.com', pixKeyType: 'email' });
    },
    rings: ['PonteManualReview'],
    silent: { PontePayoutsFail: 'no payout began' },
  },
];
