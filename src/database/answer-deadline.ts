// The client's own deadline for the database. The server answers within its own (see deadlines.ts); a connection that owes an
// answer and brings nothing for longer is frozen, or its other end is gone. It is destroyed: everything asked on it fails,
// and it never goes back to the pool. A transaction on it may be committed or not: nobody can tell.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** In a name that PostgreSQL itself has for it: `connection_failure`. */
const CONNECTION_FAILURE = '08006';

export class ConnectionSilent extends Error {
  readonly code = CONNECTION_FAILURE;

  constructor() {
    super('the database connection owes an answer and is silent: it is given up');
    this.name = 'ConnectionSilent';
  }
}

export type AnswerDeadline = {
  /** To be called before each query is sent. */
  asked: () => void;
  /** Destroys the connection if it has brought nothing for so long, whether it owes anything or not. */
  endIfSilentFor: (ms: number) => void;
};

/**
 * @param afterMs counted anew with each answer, so that queries sent together are not held to the time of one.
 * @param onSilence told that the connection has been destroyed.
 */
export function setAnswerDeadline(
  client: Client,
  { afterMs, onSilence }: { afterMs: number; onSilence: () => void },
): AnswerDeadline {
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } };
  let heardAt = performance.now();
  let timer: NodeJS.Timeout | null = null;

  const owesNothing = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  // With TLS the stream is replaced while connecting, so it is taken anew.
  const end = (): void => void connection.stream.destroy(new ConnectionSilent());
  const endUnlessHeard = (before: number): void => {
    if (timer === null || heardAt !== before) return;
    owesNothing();
    end();
    onSilence();
  };

  connection.on('readyForQuery', () => {
    heardAt = performance.now();
    timer?.refresh();
  });
  client.on('drain', owesNothing);
  client.once('end', owesNothing);

  return {
    asked: () => {
      if (timer !== null || connection.stream.destroyed) return;
      // Where the whole process was paused, the answer may be there and not read yet: it is read before the verdict.
      timer = setTimeout(() => {
        const before = heardAt;
        setImmediate(() => endUnlessHeard(before));
      }, afterMs).unref();
    },
    endIfSilentFor: (ms) => {
      if (performance.now() - heardAt >= ms) end();
    },
  };
}
