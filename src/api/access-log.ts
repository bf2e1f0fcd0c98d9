// Writes one log line for each request that is refused or slow, and for every request at level debug. A line names the route, not
// the path, because paths contain secrets and ids.
// Refused requests without a session get at most ten lines per second and refusal code; one more line reports how many were
// omitted. At level debug every request gets its line.
import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import type { Log } from '../domain/log.ts';
import { createLineBudget, type LineBudget } from './line-budget.ts';
import { GONE } from './measure-requests.ts';
import type { Admitted } from './request.ts';
import { type Identified, loggedIds } from './request-id.ts';

/** A request that takes longer than this is logged as slow. An app shows a spinner after about the same time. */
export const SLOW_REQUEST_MS = 1_000;

export function accessLog(log: Log): RequestHandler {
  const mayWrite = anonymousLines(log);
  return (request, response, next) => {
    const begunAt = performance.now();
    const { method } = request;
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      const ms = Math.round(performance.now() - begunAt);
      const level = status >= 400 || ms >= SLOW_REQUEST_MS ? 'info' : 'debug';
      if (!log.isLevelEnabled(level)) return;
      const { refusal } = response.locals as { refusal?: ErrorCode };
      const { matched, user } = request as Partial<Admitted>;
      if (status >= 400 && user === undefined && !mayWrite(refusal ?? String(status))) return;
      const route = matched?.operation.path ?? 'unknown';
      log[level](
        {
          code: 'request.answered',
          ...loggedIds(request as unknown as Identified),
          method,
          route,
          status,
          ms,
          ...(refusal && { refusal }),
        },
        'the request was answered',
      );
    });
    next();
  };
}

/**
 * Creates the budget of log lines about refused requests without a session. The key is the refusal's
 * code. Level debug has no limit.
 */
export function anonymousLines(log: Log): LineBudget {
  if (log.isLevelEnabled('debug')) return () => true;
  return createLineBudget((refusal, lines) =>
    log.info(
      { code: 'request.lines_omitted', refusal, lines },
      'further anonymous requests were refused within this second and have no log line of their own',
    ),
  );
}
