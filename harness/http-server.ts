// Starts an HTTP server on a free port of this machine.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpServer = { url: string; stop: () => Promise<void> };

/** @param handle answers a request. If it throws, the connection is closed without an answer. */
export async function startHttpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
