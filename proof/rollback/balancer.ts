// A load balancer as operators use one: it asks each process whether it is ready, forwards requests to those that are, and repeats
// nothing. It counts what its clients receive.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { startHttpServer } from '../../harness/http-server.ts';

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

  const asking = (async () => {
    for (; isWanted; await pause(ASK_EVERY_MS))
      await Promise.all(
        [...servers.values()].map(async (server) => {
          server.isReady = await isReady(agent, server.readyUrl);
        }),
      );
  })();
  const http = await startHttpServer((request, response) => {
    const ready = [...servers].flatMap(([url, server]) => (server.isReady ? [url] : []));
    taken += 1;
    return pass({ agent, target: ready[taken % ready.length], phase: phases.at(-1) }, request, response);
  });
  return {
    url: http.url,
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
      await http.stop();
      await agent.destroy();
    },
  };
}

const isReady = (agent: Agent, url: string): Promise<boolean> =>
  send(url, { dispatcher: agent, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode === 200;
    },
    () => false,
  );

type Passing = { agent: Agent; target: string | undefined; phase: Phase | undefined };

/** Forwards one request, and counts its answer. */
async function pass(
  { agent, target, phase }: Passing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const begun = performance.now();
  const { method = 'GET', headers, url: path = '/' } = request;
  const body = await buffer(request);
  const { host: _host, connection: _connection, ...forwarded } = headers;
  const answer = await send(`${target}${path}`, {
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
}
