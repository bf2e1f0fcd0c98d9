// PostgreSQL for Kysely, with our own driver of transactions (patches/pipelined-driver.ts).
import { type Driver, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { createPipelinedDriver } from './patches/pipelined-driver.ts';

export const createDialect = (pool: Pool): PostgresDialect => new PipelinedDialect({ pool });

class PipelinedDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor({ pool }: { pool: Pool }) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return createPipelinedDriver(this.#pool);
  }
}
