// Makes one call over HTTP with kept-alive connections, limits on time and size, and no redirects. Every reply is validated against
// the contract. An answer that the contract does not define is an unknown outcome.

import { Pool } from 'undici';
import { NIL_UUID } from '../domain/ids.ts';
import { currentTraceparent, inSpan, outsideTraces } from '../platform/tracing/tracing.ts';
import { type CallOptions, createCallExecutor } from './call-policy.ts';
import type { Caller } from './caller.ts';
import { createCredentials } from './credentials.ts';
import {
  OutcomeUnknown,
  ProviderRefusal,
  type RefusalCode,
  refusalCodes,
  UnreadableReply,
} from './errors.ts';
import { exchange } from './exchange.ts';
import { type ListedReply, readItems } from './list-page.ts';
import type { ConnectionState } from './port.ts';
import { type FaultOf, readWire, type WireOperation } from './wire.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const REPLY_LIMIT_BYTES = 1_048_576;
/** Additional connections for the probes of an unreachable provider, which need no slot. */
const CONNECTIONS_FOR_PROBES = 4;

export type ProviderHttpOptions = CallOptions & {
  baseUrl: string;
  username: string;
  /** Usually one. While the provider changes the password, the former and the new one. */
  passwords: readonly string[];
  companyId: string;
};

export type WireRequest = {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** The rail of an operation that serves several, so that hanging calls of one rail leave slots for the others. */
  rail?: string;
};

/** A reply. `providerNow` is the provider's clock when it answered, in whole seconds; null if the answer had no valid date. */
type Timed<Reply> = { reply: Reply; providerNow: Date | null };

export type ProviderHttp = {
  /** The calls of one caller. They wait for a slot and for an answer as its priority allows. */
  for: (caller: Caller) => WireCalls;
  state: () => ConnectionState;
  /** Rejects queued calls and aborts the calls in flight, whose outcome is then unknown. */
  close: () => Promise<void>;
};

export type WireCalls = {
  call: <Reply>(operation: WireOperation, request: WireRequest) => Promise<Reply>;
  /** Calls a list operation. Items are validated one by one, so that an unreadable item does not hide the others. */
  callList: <Item>(operation: WireOperation, request: WireRequest) => Promise<ListedReply<Item>>;
  callTimed: <Reply>(operation: WireOperation, request: WireRequest) => Promise<Timed<Reply>>;
};

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const routes = readWire();
  const { send, close } = createSend(options, routes);
  const executor = createCallExecutor(options, {
    operation: 'findOwners',
    send: () =>
      outsideTraces(() => send('findOwners', { query: { external_id: NIL_UUID } }, options.timeoutMs)),
  });

  const callTimed = <Reply>(
    caller: Caller,
    operation: WireOperation,
    request: WireRequest,
    read?: Read,
  ): Promise<Timed<Reply>> => {
    // A quote that is never used has no effect.
    const isRead = routeOf(routes, operation).method === 'GET' || operation === 'createQuote';
    const compartment = request.rail === undefined ? operation : `${operation} ${request.rail}`;
    return executor
      .execute(caller, { operation, compartment, isRead }, (withinMs) =>
        send<Reply>(operation, request, withinMs, read),
      )
      .catch((error: unknown) => {
        throw isRead && error instanceof OutcomeUnknown ? error.ofARead() : error;
      });
  };

  return {
    for: (caller) => ({
      call: async <Reply>(operation: WireOperation, request: WireRequest) =>
        (await callTimed<Reply>(caller, operation, request)).reply,
      callList: async <Item>(operation: WireOperation, request: WireRequest) =>
        (await callTimed<ListedReply<Item>>(caller, operation, request, readItems)).reply,
      callTimed: (operation, request) => callTimed(caller, operation, request),
    }),
    state: () => ({
      calls: executor.stats(),
      concurrencyLimit: options.concurrency,
      openCircuits: executor.openCircuits(),
      failing: executor.failing(),
      retryAfterMs: Object.fromEntries(
        [...routes.keys()].map((operation) => [operation, executor.retryAfterMs(operation)]),
      ),
    }),
    close: () => {
      executor.close();
      return close();
    },
  };
}

type Send = <Reply>(
  operation: WireOperation,
  request: WireRequest,
  withinMs: number,
  read?: Read,
) => Promise<Timed<Reply>>;

/** Opens the connections. `send` makes a call over them immediately. */
function createSend(
  options: ProviderHttpOptions,
  routes: Routes,
): { send: Send; close: () => Promise<void> } {
  const base = new URL(options.baseUrl);
  const pool = new Pool(base.origin, {
    connections: options.concurrency + CONNECTIONS_FOR_PROBES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: REPLY_LIMIT_BYTES,
  });
  const prefix = base.pathname.replace(/\/+$/, '');
  const withCredentials = createCredentials(options);
  const headers = { 'x-company-id': options.companyId, accept: 'application/json' };
  const headersWithBody = { ...headers, 'content-type': 'application/json' };

  const send: Send = <Reply>(
    operation: WireOperation,
    request: WireRequest,
    withinMs: number,
    read = readWhole,
  ): Promise<Timed<Reply>> => {
    const attributes = { 'ponte.provider.operation': operation };
    return inSpan({ name: `provider ${operation}`, kind: 'client', attributes }, async (set) => {
      const route = routeOf(routes, operation);
      const { body } = request;
      const httpRequest = {
        method: route.method,
        path: prefix + fill(route.path, request.path ?? {}) + queryText(request.query),
        headers: traced(body === undefined ? headers : headersWithBody),
        body: body === undefined ? null : JSON.stringify(body),
      };
      const answer = await withCredentials(withinMs, (authorization, remainingMs) =>
        exchange(pool, { ...httpRequest, headers: { ...httpRequest.headers, authorization } }, remainingMs),
      ).catch((cause: unknown) => {
        throw new OutcomeUnknown(operation, 'no usable answer', { cause });
      });
      const { status } = answer;
      set({ 'http.response.status_code': status });
      const replied = parse(answer.text);
      const faultOf = route.replies.get(status);
      if (!faultOf) throw failure(operation, status, replied, answer.headers['retry-after']);
      const reply = read(replied, faultOf);
      if (reply === null)
        throw new UnreadableReply(operation, `reply ${status} does not match the contract`, { status });
      return { reply: reply as Reply, providerNow: timeOf(answer.headers['date']) };
    });
  };
  return { send, close: () => pool.destroy() };
}

type Routes = ReturnType<typeof readWire>;

function routeOf(routes: Routes, operation: WireOperation) {
  const route = routes.get(operation);
  if (!route) throw new Error(`the provider's contract has no operation ${operation}`);
  return route;
}

/** Reads the body of a reply. Returns null if the contract does not allow it. */
type Read = (body: unknown, faultOf: FaultOf) => unknown;

const readWhole: Read = (body, faultOf) => (faultOf(body) === null ? body : null);

function failure(operation: string, status: number, reply: unknown, retryAfter: unknown): Error {
  const code = textIn(reply, 'code');
  const isClearNo = (status === 409 || status === 422) && refusalCodes.includes(code as RefusalCode);
  if (isClearNo) return new ProviderRefusal(code as RefusalCode, operation, wordIn(reply, 'reason'));
  return new OutcomeUnknown(
    operation,
    ['answered', status, wordIn(reply, 'code')].filter((part) => part !== null).join(' '),
    { status, retryAfterMs: retryAfterMs(retryAfter), mayHaveActed: !createdNothing(status) },
  );
}

const textIn = (reply: unknown, property: string): string | null =>
  isObject(reply) && typeof reply[property] === 'string' ? reply[property] : null;

/** Returns a property that is one short word, and so no personal value. Null if it is not. */
function wordIn(reply: unknown, property: string): string | null {
  const text = textIn(reply, property);
  return text !== null && /^\w{1,40}$/.test(text) ? text : null;
}

/**
 * Whether a status proves that nothing was created. By the contract every 4xx is definitive. A 408 is not: it comes from a proxy,
 * which does not know what the provider did with the request.
 */
const createdNothing = (status: number): boolean => status >= 400 && status < 500 && status !== 408;

const timeOf = (header: unknown): Date | null => {
  const time = typeof header === 'string' ? new Date(header) : null;
  return time && Number.isFinite(time.getTime()) ? time : null;
};

/** Converts a `Retry-After` header, in seconds or as a date, to milliseconds from now. */
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

/**
 * Fills in the parameters of a path, encoded.
 * @throws Error if a parameter is empty, `.` or `..`: such a segment changes the path even if it is encoded.
 */
const fill = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (/^\.{0,2}$/.test(value))
      throw new Error('a path parameter of a call to the provider is empty or dots');
    return encodeURIComponent(value);
  });

function traced(headers: Record<string, string>): Record<string, string> {
  const traceparent = currentTraceparent();
  return traceparent === null ? headers : { ...headers, traceparent };
}

const queryText = (query: Record<string, string> | undefined): string =>
  query ? `?${new URLSearchParams(query).toString()}` : '';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
