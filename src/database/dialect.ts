// PostgreSQL for Kysely, with its driver patched (patches/awaited-connections.ts).
import { type Driver, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { createDriver } from './patches/awaited-connections.ts';

export const createDialect = (pool: Pool): PostgresDialect => new PatchedDialect({ pool });

class PatchedDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor({ pool }: { pool: Pool }) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return createDriver(this.#pool);
  }
}
