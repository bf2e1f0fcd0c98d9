// PostgreSQL for Kysely, with one round trip less for each transaction.
import { CompiledQuery, type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import type { Pool } from 'pg';

export const createDialect = (pool: Pool): PostgresDialect => new PipelinedDialect({ pool });

class PipelinedDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor({ pool }: { pool: Pool }) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new PipelinedDriver({ pool: this.#pool });
  }
}

class PipelinedDriver extends PostgresDriver {
  /**
   * Sent ahead of the first statement and not waited for: it fails only with its connection, and then so does the
   * statement.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    connection.executeQuery(CompiledQuery.raw('begin')).catch(() => undefined);
  }

  /** Without a connection there is nothing to roll back, and its first error says more than that. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.endsWith('is not queryable'))) throw error;
    });
  }
}
