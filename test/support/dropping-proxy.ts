// A proxy between an app and the service. It forwards every request, and cuts chosen connections when the answer has arrived: the
// service has executed the request, and the app does not know.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as send } from 'undici';

export type DroppingProxy = {
  url: string;
  /**
   * Cuts the next connections with this method and path after the service has answered.
   * @param times the number of connections.
   */
  drop: (request: string, times: number) => void;
  /** How many answers were cut. */
  dropped: () => number;
  stop: () => Promise<void>;
};

/** @param target the service's address. */
export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
  let chosen = { request: '', times: 0 };
  let dropped = 0;

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request;
    const body = method === 'GET' ? null : request;
    const answer = await send(new URL(url, target), { method, headers, body });
    const text = await answer.body.text();
    if (`${method} ${url}` === chosen.request && dropped < chosen.times) {
      dropped += 1;
      request.socket.destroy();
    } else response.writeHead(answer.statusCode, answer.headers).end(text);
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop: (request, times) => {
      chosen = { request, times };
      dropped = 0;
    },
    dropped: () => dropped,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
