// Between the provider and the service: brings callbacks one after the other. Those that come at one moment are stored
// with one commit or with several, as it happens, and a list of points needs one way of it.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CallbackInjector = { url: string; stop: () => Promise<void> };

/** @param target where to bring them; null: nowhere, and the provider is told that they came. */
export async function startCallbackInjector(target: string | null): Promise<CallbackInjector> {
  let turn: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    const bring = async (): Promise<number> => (target === null ? 200 : forward(request, target));
    const brought = turn.then(bring).catch(() => 503);
    turn = brought;
    void brought.then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(request: IncomingMessage, target: string): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(`${target}${request.url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.concat(chunks),
  });
  return answer.status;
}
