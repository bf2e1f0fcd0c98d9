// A transaction whose statements are sent as they are issued. Kysely's own waits for the answer to each before it sends the
// next, so statements of one `Promise.all` are round trips one after the other; here they leave together, in the order in which
// they are issued, with `begin` in front of the first. The server carries them out in that order.
import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DummyDriver,
  type Kysely,
  PostgresDialect,
  Transaction,
} from 'kysely';

/**
 * @param work issues statements on the transaction it is given; when it throws, all of them are taken back.
 * @throws what `work` throws, or the error of the commit: then it is not known whether it was carried out.
 */
export const inTransaction = <Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> =>
  db.getExecutor().provideConnection(async (connection) => {
    const open = openOn(connection);
    // It fails only with its connection, and then the first statement fails, too.
    send(connection, 'begin').catch(() => undefined);
    let result: Result;
    try {
      result = await work(transactionOn(db, open.provider));
    } catch (error) {
      open.close();
      // Where the connection is gone there is nothing to roll back.
      await send(connection, 'rollback').catch(() => undefined);
      throw error;
    }
    open.close();
    await send(connection, 'commit');
    return result;
  });

const send = (connection: DatabaseConnection, text: string): Promise<unknown> =>
  connection.executeQuery(CompiledQuery.raw(text));

/** Statements that a failed transaction issues late must not reach the connection: it may be another transaction's by then. */
function openOn(connection: DatabaseConnection): { provider: ConnectionProvider; close: () => void } {
  let isOver = false;
  return {
    provider: {
      provideConnection: (use) =>
        isOver ? Promise.reject(new Error('the transaction is over')) : use(connection),
    },
    close: () => {
      isOver = true;
    },
  };
}

const transactionOn = <Tables>(db: Kysely<Tables>, provider: ConnectionProvider): Transaction<Tables> =>
  new Transaction<Tables>({
    config: { dialect },
    dialect,
    // Never asked: the connection is given.
    driver: new DummyDriver(),
    executor: db.getExecutor().withConnectionProvider(provider),
  });

const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('a transaction opens no connection of its own')),
});
