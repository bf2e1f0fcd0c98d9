// A proxy between the service and the provider that spoils chosen calls, like a network or a provider with problems.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request as send } from 'undici';
import { readWire, type WireOperation } from '../../src/provider/wire.ts';

/**
 * The reply that the service receives. `late`: the answer, after a second and a half. `drop`: the connection closes without a byte.
 * `reset`: the connection is reset. `hang`: nothing arrives. `cut`: the answer ends in the middle of the body. `broken`: half of
 * the JSON. `drip`: single bytes without end. `huge`: two megabytes. `redirect`: a redirection. `mismatched`: an answer without a
 * field of the contract. `foreign`: an answer about another handle. `after`: the answer, when the test releases it. Otherwise, an
 * answer of the provider that the test gives.
 */
export type Spoilt =
  | 'late'
  | 'drop'
  | 'reset'
  | 'hang'
  | 'cut'
  | 'broken'
  | 'drip'
  | 'huge'
  | 'redirect'
  | 'mismatched'
  | 'foreign'
  | { after: Promise<unknown> }
  | { status: number; code?: string; reason?: string; retryAfter?: number };

export type Fault = {
  operation: WireOperation;
  spoilt: Spoilt;
  /** Whether the provider still receives the call, so that the work is done there. */
  forwarded: boolean;
  /** Whether the callback address is replaced by an unreachable one, so that no callback reports what the reply did not. */
  silent?: boolean;
  /** Spoils only calls whose address or body contains this text. */
  about?: string;
  /** The number of calls. The default is one. */
  times?: number;
};

export type WireObject = Record<string, unknown>;

/** A false report that the provider repeats in every reply that shows the object, including lists. */
export type Lie = {
  /** Affects only replies to this operation. */
  operation?: WireOperation;
  /** Affects only objects whose text contains this text: a handle, or the id of an account. */
  about?: string;
  change: (truth: WireObject) => WireObject;
};

export type UpstreamProxy = {
  url: string;
  /**
   * Changes the provider's reports until it is healed.
   * @returns how often it did, and a function that ends it.
   */
  lie: (lie: Lie) => { hits: () => number; heal: () => void };
  /**
   * Spoils coming calls.
   * @returns how often it did, and a function that ends it.
   */
  spoil: (fault: Fault) => { hits: () => number; heal: () => void };
  /** Changes the provider's answers until it is healed. A fault is applied to the result. */
  rewrite: (change: Rewrite) => { heal: () => void };
  /** The number of received calls of this operation about this text. */
  count: (operation: WireOperation, about?: string) => number;
  /** The `traceparent` of each received call, of this operation if it is given. Undefined for a call without one. */
  traceparents: (operation?: WireOperation) => (string | undefined)[];
  close: () => Promise<void>;
};

/** Changes an answer of the provider. `body` is the answer's parsed JSON. */
export type Rewrite = (call: Call, reply: Reply) => Reply;
export type Reply = { status: number; body: unknown };

type Upstream = { status: number; text: string };
type Call = { operation: WireOperation | null; text: string; traceparent: string | undefined };

export async function startUpstreamProxy(target: string): Promise<UpstreamProxy> {
  const agent = new Agent();
  const calls: Call[] = [];
  const faults: (Fault & { hits: number })[] = [];
  const rewrites: Rewrite[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bytesOf(request);
    const call = {
      operation: operationOf(request),
      text: `${request.url} ${body.toString()}`,
      traceparent: request.headers['traceparent']?.toString(),
    };
    calls.push(call);
    const fault = faults.find(
      ({ operation, about = '', hits, times = 1 }) =>
        operation === call.operation && call.text.includes(about) && hits < times,
    );
    if (fault) fault.hits += 1;
    const forward = async (): Promise<Upstream> => {
      const { method = 'GET', headers, url = '/' } = request;
      const upstream = await send(new URL(url, target), {
        method,
        headers: { ...withoutLength(headers), host: new URL(target).host },
        body: body.length > 0 ? (fault?.silent ? silenced(body) : body) : null,
        dispatcher: agent,
      });
      return { status: upstream.statusCode, text: await upstream.body.text() };
    };
    const told = !fault || fault.forwarded ? await forward() : { status: 201, text: '{}' };
    const upstream = rewrites.length === 0 ? told : rewritten(rewrites, call, told);
    if (fault) spoilers(fault.spoilt)(response, upstream);
    else answer(response, upstream.status, upstream.text);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spoil: (fault) => {
      const active = { ...fault, hits: 0 };
      faults.push(active);
      return { hits: () => active.hits, heal: () => void faults.splice(faults.indexOf(active), 1) };
    },
    lie: (lie) => {
      const { change, hits } = rewritingOf(lie);
      rewrites.push(change);
      return { hits, heal: () => void rewrites.splice(rewrites.indexOf(change), 1) };
    },
    rewrite: (change) => {
      rewrites.push(change);
      return { heal: () => void rewrites.splice(rewrites.indexOf(change), 1) };
    },
    count: (operation, about = '') =>
      calls.filter((call) => call.operation === operation && call.text.includes(about)).length,
    traceparents: (operation) =>
      calls
        .filter((call) => operation === undefined || call.operation === operation)
        .map(({ traceparent }) => traceparent),
    close: async () => {
      await stop(server);
      await agent.destroy();
    },
  };
}

/** Applies the false report to every object that it concerns, including in lists. */
function rewritingOf({ operation, about = '', change }: Lie): { change: Rewrite; hits: () => number } {
  let hits = 0;
  const told = (truth: WireObject): WireObject => {
    if (!JSON.stringify(truth).includes(about)) return truth;
    hits += 1;
    return change(truth);
  };
  return {
    hits: () => hits,
    change: (call, { status, body }) => {
      const isMeant = status < 300 && (operation === undefined || operation === call.operation);
      if (!isMeant) return { status, body };
      const reply = body as WireObject;
      const { results } = reply;
      return {
        status,
        body: Array.isArray(results) ? { ...reply, results: results.map(told) } : told(reply),
      };
    },
  };
}

function rewritten(rewrites: Rewrite[], call: Call, { status, text }: Upstream): Upstream {
  const reply = rewrites.reduce((told: Reply, change) => change(call, told), {
    status,
    body: JSON.parse(text) as unknown,
  });
  return { status: reply.status, text: JSON.stringify(reply.body) };
}

function spoilers(spoilt: Spoilt): (response: ServerResponse, upstream: Upstream) => void {
  if (typeof spoilt === 'string') return named[spoilt];
  if ('after' in spoilt)
    return (response, { status, text }) => void spoilt.after.then(() => answer(response, status, text));
  const { status, code = 'unavailable', reason, retryAfter } = spoilt;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return (response) =>
    answer(response, status, JSON.stringify({ code, reason, detail: 'in trouble' }), headers);
}

const named: Record<
  Extract<Spoilt, string>,
  (response: ServerResponse, { status, text }: Upstream) => void
> = {
  late: (response, { status, text }) => void setTimeout(() => answer(response, status, text), 1_500),
  drop: (response) => void response.socket?.destroy(),
  reset: (response) => void response.socket?.resetAndDestroy(),
  hang: () => undefined,
  cut: (response, { status, text }) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length + 50 });
    response.write(text, () => response.socket?.destroy());
  },
  broken: (response, { status, text }) => answer(response, status, text.slice(0, text.length / 2)),
  drip: (response, { status }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    const drop = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(drop));
  },
  huge: (response, { status }) =>
    answer(response, status, JSON.stringify({ filler: 'x'.repeat(2 * 1024 * 1024) })),
  redirect: (response) => answer(response, 307, '', { location: 'http://127.0.0.1:9/elsewhere' }),
  mismatched: (response, { status, text }) => {
    const { status: _left, ...rest } = JSON.parse(text) as Record<string, unknown>;
    answer(response, status, JSON.stringify(rest));
  },
  foreign: (response, { status, text }) => {
    const foreign = '5b1d3c52-0000-4000-8000-000000000000';
    answer(response, status, text.replace(/("(?:origin|external)_id":)"[^"]*"/g, `$1"${foreign}"`));
  },
};

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

const silenced = (body: Buffer): string =>
  body.toString().replace(/"callback_url":"[^"]*"/, '"callback_url":"http://127.0.0.1:9/"');

const withoutLength = ({ 'content-length': _left, ...headers }: IncomingMessage['headers']) => headers;

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const routes = [...readWire()].map(([operation, { method, path }]) => ({
  operation,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

// Literal addresses come first, so that they are not taken for addresses with an id.
const operationOf = ({ method, url = '' }: IncomingMessage): WireOperation | null => {
  const path = url.split('?', 1)[0] ?? '';
  const fitting = routes.filter((route) => route.method === method && route.pattern.test(path));
  return (fitting.find(({ pattern }) => !pattern.source.includes('[^/]')) ?? fitting[0])?.operation ?? null;
};

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
