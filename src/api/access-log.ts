// One log line for each request that was refused or slow; for every request at level debug. It names the route and never
// the address, because addresses carry secrets and ids.
import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import type { Log } from '../logging/log.ts';
import { GONE } from './measure-requests.ts';
import type { Admitted } from './request.ts';
import { type Identified, loggedIds } from './request-id.ts';

/** A request that takes longer is slow: an app waits about as long before it shows a spinner. */
export const SLOW_REQUEST_MS = 1_000;

export const accessLog =
  (log: Log): RequestHandler =>
  (request, response, next) => {
    const begunAt = performance.now();
    const { method } = request;
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      const ms = Math.round(performance.now() - begunAt);
      const level = status >= 400 || ms >= SLOW_REQUEST_MS ? 'info' : 'debug';
      if (!log.isLevelEnabled(level)) return;
      const { refusal } = response.locals as { refusal?: ErrorCode };
      const route = (request as Partial<Admitted>).matched?.operation.path ?? 'unknown';
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
