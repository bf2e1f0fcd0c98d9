// The dependencies of the reference service, and its refusals.
import type { Pool } from 'pg';
import type { Provider } from '../provider.ts';

export type Reference = {
  db: Pool;
  provider: Provider;
  /** The address to which the provider sends its callbacks. It ends in the secret. */
  callbackUrl: string;
  webhookSecret: string;
  sessionSecret: string;
};

/** An answer that is not a success. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}
