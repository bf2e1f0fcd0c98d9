// Sets how long a connection may take for each part of a request, so that a slow client holds a socket only for a limited time.
import { createServer, type RequestListener, type Server } from 'node:http';

/** The time limits of a connection, in milliseconds. */
export const defaultTimeouts = {
  /** From the start of a request until all its headers have arrived. */
  headersMs: 10_000,
  /** From the start of a request until all of it has arrived. */
  requestMs: 30_000,
  /** Without a byte in either direction while a response is prepared or read: longer than any response takes. */
  stalledMs: 60_000,
  /**
   * Between two requests of a connection: longer than proxies keep idle connections, so that no proxy
   * sends a request over a closing one.
   */
  keptMs: 75_000,
  /**
   * The interval between checks of these limits. With a shorter one, a busy process would close
   * connections that it has not served yet.
   */
  checkEveryMs: 30_000,
};

export function createHttpServer(
  listener: RequestListener,
  { headersMs, requestMs, stalledMs, keptMs, checkEveryMs } = defaultTimeouts,
): Server {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keptMs,
      connectionsCheckingInterval: checkEveryMs,
      // server.ts checks the Host header later and refuses the request in the contract's form.
      requireHostHeader: false,
    },
    listener,
  );
  // Without this listener, Node sends `100 Continue` before the caller is authenticated. body.ts sends it instead.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  return server.setTimeout(stalledMs);
}
