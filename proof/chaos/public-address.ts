// The callback address that the provider knows. It forwards callbacks to an instance that accepts them, as a load balancer would.
// It records which callbacks were acknowledged before it passes the acknowledgement to the provider.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request as send } from 'undici';
import { acknowledgedCallback } from '../audit/evidence.ts';
import type { Journal } from './journal.ts';

const PATIENCE_MS = 10_000;

export type PublicAddress = { url: string; stop: () => Promise<void> };

export async function openPublicAddress(
  instances: () => string[],
  acknowledged: Journal,
): Promise<PublicAddress> {
  const agent = new Agent({ connections: 64 });
  let delivered = 0;

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bytesOf(request);
    const urls = instances();
    delivered += 1;
    const status = await deliver(urls[delivered % urls.length] ?? '', request.url ?? '/', body);
    if (status >= 200 && status < 300) acknowledged.write(acknowledgedCallback(body));
    response.writeHead(status).end();
  };

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

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, agent.destroy()]);
    },
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
