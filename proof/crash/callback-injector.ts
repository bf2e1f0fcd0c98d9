// A proxy between the provider and the service that delivers callbacks one after the other. Concurrent callbacks are stored in one
// commit or in several, by chance, and a list of points must be deterministic.
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';

/** @param target where to deliver the callbacks. Null acknowledges them to the provider and delivers nothing. */
export function startCallbackInjector(target: string | null): Promise<HttpServer> {
  let queue: Promise<unknown> = Promise.resolve();
  return startHttpServer(async (request, response) => {
    const deliver = async (): Promise<number> => (target === null ? 200 : forward(request, target));
    const delivered = queue.then(deliver).catch(() => 503);
    queue = delivered;
    response.writeHead(await delivered).end();
  });
}

async function forward(request: IncomingMessage, target: string): Promise<number> {
  const answer = await fetch(`${target}${request.url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await buffer(request),
  });
  return answer.status;
}
