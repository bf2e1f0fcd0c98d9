// How long a connection may take for each part of a request: a slow client holds a socket for a limited time only.
import { createServer, type RequestListener, type Server } from 'node:http';

/** In milliseconds. */
export type Timeouts = {
  /** Until all headers have arrived. */
  headersMs: number;
  /** Until the whole request has arrived. */
  requestMs: number;
  /** Without a byte in either direction while an answer is made or read: longer than any answer takes. */
  stalledMs: number;
  /** Between two requests of a connection: longer than proxies keep theirs, so that none sends over one that is closing. */
  keptMs: number;
  /** The interval between checks: with a shorter one a busy process would close connections it has not served yet. */
  checkEveryMs: number;
};

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  stalledMs: 60_000,
  keptMs: 75_000,
  checkEveryMs: 30_000,
};

export function createHttpServer(
  listener: RequestListener,
  { headersMs, requestMs, stalledMs, keptMs, checkEveryMs }: Timeouts = defaultTimeouts,
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keptMs,
      connectionsCheckingInterval: checkEveryMs,
      // Checked later, where it can be refused in our own form.
      requireHostHeader: false,
    },
    listener,
  );
  // Without this Node requests every offered body before the caller is authenticated (see body.ts).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  return server.setTimeout(stalledMs);
}
