// The callback address that the provider knows. It forwards callbacks to an instance that accepts them, as a load balancer would.
// It records which callbacks were acknowledged before it passes the acknowledgement to the provider.
import { buffer } from 'node:stream/consumers';
import { Agent, request as send } from 'undici';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { acknowledgedCallback } from '../audit/evidence.ts';
import type { Journal } from './journal.ts';

const PATIENCE_MS = 10_000;

export async function openPublicAddress(
  instances: () => string[],
  acknowledged: Journal,
): Promise<HttpServer> {
  const agent = new Agent({ connections: 64 });
  let delivered = 0;

  const deliver = async (base: string, path: string, body: Buffer): Promise<number> => {
    try {
      const answer = await send(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: agent,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      return 502;
    }
  };

  const server = await startHttpServer(async (request, response) => {
    const body = await buffer(request);
    const urls = instances();
    delivered += 1;
    const status = await deliver(urls[delivered % urls.length] ?? '', request.url ?? '/', body);
    if (status >= 200 && status < 300) acknowledged.write(acknowledgedCallback(body));
    response.writeHead(status).end();
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await agent.destroy();
    },
  };
}
