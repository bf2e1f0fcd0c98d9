// Limits how many requests of one connection are in progress. A client may send requests without waiting for responses
// (pipelining): one read of 64 KiB can contain 900 requests, and all of them would start before the first response is sent.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The maximum number of requests in progress per connection. Browsers, apps and proxies send one
 * request at a time over a connection.
 */
export const MOST_IN_PROGRESS = 16;

export type RequestsInProgress = {
  /**
   * Wraps the listener that runs requests. A connection's 17th concurrent request destroys the connection. Requests that were
   * already parsed from a destroyed connection are skipped.
   */
  bound: (handle: RequestListener) => RequestListener;
  /** Returns the responses of a connection that are not completely sent, in the order of their requests. */
  unsent: (socket: Duplex) => ServerResponse[];
};

export function createRequestsInProgress(): RequestsInProgress {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>();

  return {
    bound: (handle) => (request, response) => {
      const { socket } = request;
      if (socket.destroyed) return;
      const inProgress = responses.get(socket) ?? new Set();
      if (inProgress.size >= MOST_IN_PROGRESS) return void socket.destroy();
      responses.set(socket, inProgress);
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
      handle(request, response);
    },
    unsent: (socket) =>
      [...(responses.get(socket) ?? [])].filter(({ writableFinished }) => !writableFinished),
  };
}
