// How long a connection may take for each part of a request. A slow client costs a socket, for a limited time.
import { createServer, type RequestListener, type Server } from 'node:http';

/** In milliseconds. */
export type Timeouts = {
  /** For all headers to come. */
  headersMs: number;
  /** For the whole request to come. */
  requestMs: number;
  /** With nothing coming or going at all, while an answer is made or read: longer than any answer takes to be made. */
  stalledMs: number;
  /** How often connections are checked: more often, and a busy process would close those that it has not served yet. */
  checkEveryMs: number;
};

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  stalledMs: 60_000,
  checkEveryMs: 30_000,
};

export function createHttpServer(
  listener: RequestListener,
  { headersMs, requestMs, stalledMs, checkEveryMs }: Timeouts = defaultTimeouts,
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkEveryMs,
      // Checked behind this, where it can be refused in our own form.
      requireHostHeader: false,
    },
    listener,
  );
  // Without this Node asks for every body that is offered, before the caller is authenticated (see body.ts).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  return server.setTimeout(stalledMs);
}
