// Patches pg 8.23.1: destroys a connection that owes an answer and receives nothing for too long, and one that the server
// does not close in time. The server has its own deadlines (see deadlines.ts), so such a connection is frozen or its peer
// is gone; pg would wait indefinitely. Every query on the connection fails, and it never returns to the pool. The outcome
// of its transaction is unknown.
// Gain: a frozen connection costs seconds instead of blocking the process, and a process with one stops in time.
import type { Client } from 'pg';
import { connectionOf } from './connection.ts';

/** PostgreSQL's code `connection_failure`. */
const CONNECTION_FAILURE = '08006';

export class ConnectionSilent extends Error {
  readonly code = CONNECTION_FAILURE;

  constructor() {
    super('the database connection owes an answer and is silent: it is destroyed');
    this.name = 'ConnectionSilent';
  }
}

/** How long the server may take to close a connection after the client has sent its termination message. */
const END_WITHIN_MS = 1_000;

export type AnswerDeadline = {
  /** Must be called before each query is sent. */
  sending: () => void;
  /** Must be called before the connection is ended. */
  ending: () => void;
  /** Destroys the connection if it has received nothing for `ms` milliseconds, whether it owes an answer or not. */
  endIfSilentFor: (ms: number) => void;
};

/**
 * Watches a connection.
 * @param afterMs the limit; 0 for no limit. Each answer restarts the timer, so queries that are sent
 *   together do not share one limit.
 * @param onSilence called after the connection was destroyed.
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
    sending: () => {
      if (afterMs === 0 || timer !== null || connection.stream.destroyed) return;
      // If the whole process was paused, the answer may have arrived but not been read. Read it before deciding.
      timer = setTimeout(() => {
        const before = lastAnswerAt;
        setImmediate(() => endUnlessAnswered(before));
      }, afterMs).unref();
    },
    ending: () => {
      const insist = setTimeout(end, END_WITHIN_MS).unref();
      client.once('end', () => clearTimeout(insist));
    },
    endIfSilentFor: (ms) => {
      if (performance.now() - lastAnswerAt >= ms) end();
    },
  };
}
