// A load balancer as operators use one: it asks each process whether it is ready, forwards requests to those that are, and repeats
// nothing. It counts what its clients receive.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send } from 'undici';

const ASK_EVERY_MS = 200;
const PATIENCE_MS = 15_000;

export type Phase = { name: string; tookMs: number[]; errors: string[] };

export type Balancer = {
  url: string;
  /** Asks the process from now on. Resolves when it is ready for the first time. */
  add: (server: { url: string; readyUrl: string }) => Promise<void>;
  remove: (url: string) => void;
  /** Counts the following requests under another name. */
  begin: (phase: string) => void;
  phases: Phase[];
  stop: () => Promise<void>;
};

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ connections: 128 });
  const servers = new Map<string, { readyUrl: string; isReady: boolean }>();
  const phases: Phase[] = [];
  let taken = 0;
  let isWanted = true;

  const isReady = (url: string): Promise<boolean> =>
    send(url, { dispatcher: agent, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode === 200;
      },
      () => false,
    );
  const asking = (async () => {
    for (; isWanted; await pause(ASK_EVERY_MS))
      await Promise.all(
        [...servers.values()].map(async (server) => {
          server.isReady = await isReady(server.readyUrl);
        }),
      );
  })();

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const phase = phases.at(-1);
    const begun = performance.now();
    const ready = [...servers].flatMap(([url, server]) => (server.isReady ? [url] : []));
    taken += 1;
    const url = ready[taken % ready.length];
    const { method = 'GET', headers } = request;
    const path = request.url ?? '/';
    const body = await bytesOf(request);
    const { host: _host, connection: _connection, ...forwarded } = headers;
    const answer = await send(`${url}${path}`, {
      method: method as 'GET',
      headers: forwarded,
      body: body.length === 0 ? null : body,
      dispatcher: agent,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error: unknown) => String(error));
    phase?.tookMs.push(performance.now() - begun);
    const what = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}').replace(/provider\/.*/, 'provider')}`;
    if (typeof answer === 'string') {
      phase?.errors.push(`${what}: ${answer}`);
      response.writeHead(502, { 'content-type': 'application/json' }).end('{"code":"unreachable"}');
      return;
    }
    const text = await answer.body.text();
    if (answer.statusCode >= 500) phase?.errors.push(`${what}: ${answer.statusCode} ${text}`);
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(text);
  };

  const http = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    add: async ({ url, readyUrl }) => {
      const server = { readyUrl, isReady: false };
      servers.set(url, server);
      while (!server.isReady) await pause(ASK_EVERY_MS / 4);
    },
    remove: (url) => void servers.delete(url),
    begin: (name) => void phases.push({ name, tookMs: [], errors: [] }),
    phases,
    stop: async () => {
      isWanted = false;
      await asking;
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await Promise.all([closed, agent.destroy()]);
    },
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
