// Measures every request under its operation's name. Paths contain ids and secrets; operation names do not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../metrics/metrics.ts';
import type { Admitted } from './request.ts';

/** The status recorded for a client that disconnected before it had the whole response. */
export const GONE = 499;

export const measure =
  (metrics: Metrics) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const begunAt = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      const operation = (request as Partial<Admitted>).matched?.id ?? 'none';
      metrics.requested(operation, status, (performance.now() - begunAt) / 1_000);
    });
  };
