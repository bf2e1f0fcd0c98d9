// How many requests of one connection may be in progress. A client may send requests without awaiting an answer, and one
// read of 64 KiB can hold 900 of them, all of which would begin before an answer leaves.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Browsers, apps and proxies send one request at a time over a connection. */
export const MOST_IN_PROGRESS = 16;

export type RequestsInProgress = {
  /**
   * Wraps what carries out requests. A connection's 17th request destroys the connection, and whatever arrives over a
   * destroyed connection is skipped: it was parsed already.
   */
  bound: (carryOut: RequestListener) => RequestListener;
  /** The responses of a connection that have not been sent whole, in the order of their requests. */
  unsent: (socket: Duplex) => ServerResponse[];
};

export function createRequestsInProgress(): RequestsInProgress {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>();

  const responsesOf = (socket: Duplex): Set<ServerResponse> => {
    const known = responses.get(socket) ?? new Set();
    responses.set(socket, known);
    return known;
  };

  const begin = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    if (socket.destroyed) return false;
    const inProgress = responsesOf(socket);
    if (inProgress.size >= MOST_IN_PROGRESS) {
      socket.destroy();
      return false;
    }
    inProgress.add(response);
    response.once('close', () => inProgress.delete(response));
    return true;
  };

  return {
    bound: (carryOut) => (request, response) => {
      if (begin(request, response)) carryOut(request, response);
    },
    unsent: (socket) =>
      [...(responses.get(socket) ?? [])].filter(({ writableFinished }) => !writableFinished),
  };
}
