// A proxy between the provider and the service that delivers callbacks one after the other. Concurrent callbacks are stored in one
// commit or in several, by chance, and a list of points must be deterministic.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CallbackInjector = { url: string; stop: () => Promise<void> };

/** @param target where to deliver the callbacks. Null acknowledges them to the provider and delivers nothing. */
export async function startCallbackInjector(target: string | null): Promise<CallbackInjector> {
  let queue: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    const deliver = async (): Promise<number> => (target === null ? 200 : forward(request, target));
    const delivered = queue.then(deliver).catch(() => 503);
    queue = delivered;
    void delivered.then((status) => response.writeHead(status).end());
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
