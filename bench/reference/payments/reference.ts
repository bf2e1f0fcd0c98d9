// What the reference service works with, and its refusals.
import type { Pool } from 'pg';
import type { Provider } from '../provider.ts';

export type Reference = {
  db: Pool;
  provider: Provider;
  /** Where the provider sends its callbacks; ends in the secret. */
  callbackUrl: string;
  webhookSecret: string;
  sessionSecret: string;
};

/** An answer that is no success. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}
