// Patches pg 8.23.1: a connection that owes an answer and receives nothing for too long is destroyed, and so is one that the server
// does not close in time. The server has deadlines of its own (see deadlines.ts), so such a connection is frozen, or its other end has
// gone; pg would wait indefinitely. Every query on it fails, and it never goes back to the pool. The outcome of a transaction on it is
// unknown.
// Gain: a frozen connection costs seconds instead of the process, and a process with one stops in time.
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

/** How long the server may take to close a connection that says goodbye. */
const END_WITHIN_MS = 1_000;

export type AnswerDeadline = {
  /** To be called before each query is sent. */
  asked: () => void;
  /** To be called before the connection is ended. */
  ending: () => void;
  /** Destroys the connection if it has received nothing for so long, whether it owes an answer or not. */
  endIfSilentFor: (ms: number) => void;
};

/**
 * @param afterMs 0 for no limit. Each answer restarts the time, so queries that are sent together do not share the time of one.
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
      if (afterMs === 0 || timer !== null || connection.stream.destroyed) return;
      // Where the whole process was paused, the answer may have arrived unread: it is read before the verdict.
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
