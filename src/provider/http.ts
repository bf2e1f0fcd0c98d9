// One call over HTTP: kept-alive connections, bounded time and size, no redirects, and every reply checked
// against the contract. What is not a clear answer of the contract is an unknown outcome.
import { Pool } from 'undici';
import { ProviderRefusal, ProviderUnknown, type RefusalCode, refusalCodes } from './errors.ts';
import { readWire, type WireOperation } from './wire.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const REPLY_LIMIT_BYTES = 1_048_576;
const CONNECTIONS = 64;

export type ProviderHttpOptions = {
  baseUrl: string;
  username: string;
  password: string;
  companyId: string;
  /** How long one call may take from its start to the last byte of the reply, in milliseconds. */
  timeoutMs: number;
};

type Request = {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
};

export type Call = <Reply>(operation: WireOperation, request: Request) => Promise<Reply>;

/** @returns the call itself, and how to end it all: what is under way then has an unknown outcome. */
export function createProviderHttp(options: ProviderHttpOptions): { call: Call; close: () => Promise<void> } {
  const base = new URL(options.baseUrl);
  const pool = new Pool(base.origin, {
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: REPLY_LIMIT_BYTES,
  });
  const prefix = base.pathname.replace(/\/+$/, '');
  const routes = readWire();
  const headers = {
    authorization: `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`,
    'x-company-id': options.companyId,
    accept: 'application/json',
  };

  const call: Call = async <Reply>(operation: WireOperation, request: Request): Promise<Reply> => {
    const route = routes.get(operation);
    if (!route) throw new Error(`the provider's contract has no operation ${operation}`);
    const { status, retryAfter, text } = await exchange(operation, {
      method: route.method,
      path: prefix + fill(route.path, request.path ?? {}) + queryText(request.query),
      headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: request.body === undefined ? null : JSON.stringify(request.body),
    });
    const reply = parse(text);
    const matches = route.replies.get(status);
    if (matches?.(reply)) return reply as Reply;
    if (matches) throw new ProviderUnknown(operation, `reply ${status} does not match the contract`);
    throw failure(operation, status, reply, retryAfter);
  };

  // The whole exchange has one deadline: a reply that drips a byte at a time does not get past it.
  const exchange = async (
    operation: WireOperation,
    request: { method: string; path: string; headers: Record<string, string>; body: string | null },
  ) => {
    try {
      const response = await pool.request({
        ...request,
        method: request.method as 'GET',
        signal: AbortSignal.timeout(options.timeoutMs),
      });
      const text = await response.body.text();
      return { status: response.statusCode, retryAfter: response.headers['retry-after'], text };
    } catch (cause) {
      throw new ProviderUnknown(operation, 'no usable answer', { cause });
    }
  };

  return { call, close: () => pool.destroy() };
}

function failure(operation: string, status: number, reply: unknown, retryAfter: unknown): Error {
  const code = isObject(reply) && typeof reply['code'] === 'string' ? reply['code'] : null;
  const isClearNo = (status === 409 || status === 422) && refusalCodes.includes(code as RefusalCode);
  if (isClearNo) return new ProviderRefusal(code as RefusalCode, operation);
  return new ProviderUnknown(
    operation,
    `answered ${status}${code && /^\w{1,40}$/.test(code) ? ` ${code}` : ''}`,
    { status, retryAfterMs: retryAfterMs(retryAfter) },
  );
}

/** `Retry-After` in seconds or as a date, as milliseconds from now. */
function retryAfterMs(header: unknown): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fill = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

const queryText = (query: Record<string, string> | undefined): string =>
  query ? `?${new URLSearchParams(query).toString()}` : '';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
