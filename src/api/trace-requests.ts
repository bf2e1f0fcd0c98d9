// Opens a span for each request. It is named by the route of the contract, because paths contain ids and secrets.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openSpan } from '../platform/tracing/tracing.ts';
import { GONE } from './measure-requests.ts';
import type { Admitted } from './request.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Runs `handle` in a span for each request. A caller's `traceparent` becomes a link, because a caller must not choose which requests are
 * sampled, nor put our spans into a trace of its choice.
 * @param trustsCallers whether the request continues the caller's trace instead.
 */
export const traceRequests =
  (handle: Handle, { trustsCallers }: { trustsCallers: boolean }): Handle =>
  (request, response) => {
    const given = request.headers['traceparent'];
    const callers = typeof given === 'string' ? given : null;
    const { method = '' } = request;
    const span = openSpan({
      name: method,
      kind: 'server',
      parent: trustsCallers ? callers : null,
      link: trustsCallers ? null : callers,
    });
    if (span === null) return handle(request, response);
    if (!span.isRecording) return span.run(() => handle(request, response));
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      const { id, matched } = request as Partial<Admitted>;
      const route = matched?.operation.path;
      span.set({
        'http.request.method': method,
        'http.response.status_code': status,
        ...(matched && { 'http.route': route, 'ponte.operation': matched.id }),
        ...(id !== undefined && { 'ponte.request_id': id }),
      });
      span.end({ ...(matched && { name: `${method} ${route}` }), isError: status >= 500 });
    });
    span.run(() => handle(request, response));
  };
