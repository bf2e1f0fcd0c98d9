// Patches Kysely 0.29.6: `begin` is sent ahead of a transaction's first statement and not waited for, and a `rollback` on a
// connection that is gone does not hide the error that the transaction failed with.
// Gain: one round trip less for each transaction.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';
import type { Pool } from 'pg';

export const createPipelinedDriver = (pool: Pool): Driver => new PipelinedDriver({ pool });

class PipelinedDriver extends PostgresDriver {
  /** It fails only with its connection, and then the first statement fails, too. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    if (settings.isolationLevel || settings.accessMode) return super.beginTransaction(connection, settings);
    connection.executeQuery(CompiledQuery.raw('begin')).catch(() => undefined);
  }

  /** Where the connection is gone there is nothing to roll back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.endsWith('is not queryable'))) throw error;
    });
  }
}
