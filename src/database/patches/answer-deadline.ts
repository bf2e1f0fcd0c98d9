// Patches pg 8.23.1: a connection that owes an answer and brings nothing for too long is destroyed. The server has deadlines
// of its own (see deadlines.ts), so such a connection is frozen, or its other end is gone; pg waits for ever. Every query on it
// fails, and it never goes back to the pool. The outcome of a transaction on it is unknown.
// Gain: a frozen connection costs seconds instead of the process.
import type { Client } from 'pg';
import { connectionOf } from './connection.ts';

/** PostgreSQL's own code for it: `connection_failure`. */
const CONNECTION_FAILURE = '08006';

export class ConnectionSilent extends Error {
  readonly code = CONNECTION_FAILURE;

  constructor() {
    super('the database connection owes an answer and is silent: it is destroyed');
    this.name = 'ConnectionSilent';
  }
}

export type AnswerDeadline = {
  /** To be called before each query is sent. */
  asked: () => void;
  /** Destroys the connection if it has received nothing for so long, whether it owes an answer or not. */
  endIfSilentFor: (ms: number) => void;
};

/**
 * @param afterMs restarted by each answer, so that queries sent together do not share the time of one.
 * @param onSilence called when the connection has been destroyed.
 */
export function setAnswerDeadline(
  client: Client,
  { afterMs, onSilence }: { afterMs: number; onSilence: () => void },
): AnswerDeadline {
  const connection = connectionOf(client);
  let lastAnswerAt = performance.now();
  let timer: NodeJS.Timeout | null = null;

  const owesNothing = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const end = (): void => void connection.stream.destroy(new ConnectionSilent());
  const endUnlessAnswered = (before: number): void => {
    if (timer === null || lastAnswerAt !== before) return;
    owesNothing();
    end();
    onSilence();
  };

  connection.on('readyForQuery', () => {
    lastAnswerAt = performance.now();
    timer?.refresh();
  });
  client.on('drain', owesNothing);
  client.once('end', owesNothing);

  return {
    asked: () => {
      if (timer !== null || connection.stream.destroyed) return;
      // Where the whole process was paused, the answer may have arrived unread: it is read before the verdict.
      timer = setTimeout(() => {
        const before = lastAnswerAt;
        setImmediate(() => endUnlessAnswered(before));
      }, afterMs).unref();
    },
    endIfSilentFor: (ms) => {
      if (performance.now() - lastAnswerAt >= ms) end();
    },
  };
}
