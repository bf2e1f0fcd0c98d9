// The client's own deadline for the database. The server answers within its own (see deadlines.ts); a connection that
// owes an answer and brings nothing for longer is frozen, or its other end is gone. It is destroyed: its pending queries
// fail, and it never returns to the pool. Whether a transaction on it was committed is unknown.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'pg';

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
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } };
  let lastAnswerAt = performance.now();
  let timer: NodeJS.Timeout | null = null;

  const owesNothing = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  // With TLS the stream is replaced while connecting, so it is read again here.
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
