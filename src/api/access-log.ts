// One log line for each request that was refused or slow; for every request at level debug. It names the route and never
// the address, because addresses carry secrets and ids. Of refused requests without a session ten lines a second and code
// are written, and one line has the number of the others; at level debug each has its line.
import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import type { Log } from '../logging/log.ts';
import { createLineBudget, type LineBudget } from './line-budget.ts';
import { GONE } from './measure-requests.ts';
import type { Admitted } from './request.ts';
import { type Identified, loggedIds } from './request-id.ts';

/** A request that takes longer is slow: an app waits about as long before it shows a spinner. */
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

/** The budget of lines about refused requests without a session, by the code of the refusal. */
export function anonymousLines(log: Log): LineBudget {
  if (log.isLevelEnabled('debug')) return () => true;
  return createLineBudget((refusal, lines) =>
    log.info(
      { code: 'request.lines_omitted', refusal, lines },
      'more anonymous requests were refused within a second than have a line each',
    ),
  );
}
