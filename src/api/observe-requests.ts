// Observes every request, from its headers to the end of its response: counts it, runs it in a span, and logs it if it was refused or
// slow. Paths contain ids and secrets, so metrics, spans and log lines name the operation or its route instead.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import type { Log } from '../domain/log.ts';
import { type OpenSpan, openSpan } from '../platform/tracing/tracing.ts';
import type { LineBudget } from './line-budget.ts';
import type { ApiRequest } from './request.ts';
import { loggedIds } from './request-id.ts';

/** A request that takes longer than this is logged as slow. An app shows a spinner after about the same time. */
export const SLOW_REQUEST_MS = 1_000;
/** The status recorded for a client that disconnected before it had the whole response. */
const GONE = 499;

export type RequestObserver = {
  log: Log;
  /** Whether one more line about a refused anonymous request may be written. */
  mayWrite: LineBudget;
  /** Counts an answered request. @param operation an operation of the contract, or `none`. */
  requested: (operation: string, status: number, seconds: number, refusal?: ErrorCode) => void;
  /** Whether a request continues its caller's trace. */
  trustsCallers: boolean;
};

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
type Answered = { request: Partial<ApiRequest>; response: ServerResponse; ms: number };

export const observeRequests =
  (handle: Handle, observer: RequestObserver): Handle =>
  (request, response) => {
    const begunAt = performance.now();
    const span = openRequestSpan(request, observer);
    const inSpan = span?.run ?? ((work: () => void) => work());
    response.once('close', () => {
      const answered = { request: request as Answered['request'], response, ms: performance.now() - begunAt };
      const status = response.writableFinished ? response.statusCode : GONE;
      const operation = answered.request.operation?.operationId ?? 'none';
      observer.requested(operation, status, answered.ms / 1_000, refusalOf(response));
      // In the span, so that the line names its trace.
      inSpan(() => logAnswer(observer, answered, status));
      if (span?.isRecording) endRequestSpan(span, answered, status);
    });
    inSpan(() => handle(request, response));
  };

/**
 * Opens the span of a request. A caller's `traceparent` becomes a link, because a caller must not choose which requests are sampled, nor
 * put our spans into a trace of its choice.
 */
function openRequestSpan(
  { headers, method = '' }: IncomingMessage,
  { trustsCallers }: RequestObserver,
): OpenSpan | null {
  const traceparent = headers['traceparent'];
  const callers = typeof traceparent === 'string' ? traceparent : null;
  const related = trustsCallers ? { parent: callers } : { parent: null, link: callers };
  return openSpan({ name: method, kind: 'server', ...related });
}

function endRequestSpan(
  span: OpenSpan,
  { request: { id, method, operation } }: Answered,
  status: number,
): void {
  const route = operation?.path;
  span.set({
    'http.request.method': method,
    'http.response.status_code': status,
    ...(operation && { 'http.route': route, 'ponte.operation': operation.operationId }),
    ...(id !== undefined && { 'ponte.request_id': id }),
  });
  span.end({ ...(operation && { name: `${method} ${route}` }), isError: status >= 500 });
}

/**
 * Logs a request that was refused or slow; at level debug, every request. Refused requests without a session have a budget of lines,
 * except at level debug.
 */
function logAnswer({ log, mayWrite }: RequestObserver, { request, response, ms }: Answered, status: number) {
  const isRefused = status >= 400;
  const level = isRefused || ms >= SLOW_REQUEST_MS ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  const refusal = refusalOf(response);
  const { method, operation, user } = request;
  if (isRefused && user === undefined && !mayWrite(refusal ?? String(status))) return;
  const route = operation?.path ?? 'unknown';
  log[level](
    {
      code: 'request.answered',
      ...loggedIds(request as ApiRequest),
      method,
      route,
      status,
      ms: Math.round(ms),
      ...(refusal && { refusal }),
    },
    'the request was answered',
  );
}

const refusalOf = (response: ServerResponse): ErrorCode | undefined =>
  (response as ServerResponse & { locals?: { refusal?: ErrorCode } }).locals?.refusal;
