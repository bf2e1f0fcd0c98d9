// A runner locks jobs by asking for them, and learns only by the answer which they are. When that is lost with its connection,
// they may be locked for a runner that does not know of them, for hours. So the runner is replaced: the jobs of one that has
// ended are freed.
import type { WithPgClient, WorkerEvents } from 'graphile-worker';
import { DatabaseError, type PoolClient } from 'pg';

/** Calls `replace` when the answer to a statement of the queue's local store is lost. Call it before `run`. */
export function watchForLostAnswers(events: WorkerEvents, replace: () => void): void {
  events.on('localQueue:init', ({ localQueue }) => {
    const queue = localQueue as unknown as { withPgClient: WithPgClient };
    const ask = queue.withPgClient;
    const watched = <Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> =>
      ask(async (client) => {
        try {
          return await work(client);
        } catch (error) {
          if (!isAnswer(error)) replace();
          throw error;
        }
      });
    // The library's own retries would ask again and forget that there was a first time; the store asks every second anyway.
    queue.withPgClient = Object.assign(watched, { withRetries: watched });
  });
}

/** The server has refused the statement, so it did nothing; unless it ended the session, which it can do after a commit. */
const isAnswer = (error: unknown): boolean =>
  error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? '');
