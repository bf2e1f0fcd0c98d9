// Every request is measured under its operation's name: addresses carry ids and secrets, names do not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenAPIBackend } from 'openapi-backend';
import { operationFor } from '../api/routing.ts';
import type { Metrics } from './metrics.ts';

/** What is said of a client that went away before it had its answer. */
export const GONE = 499;

export const measure =
  (metrics: Metrics, backend: OpenAPIBackend) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const begunAt = performance.now();
    // Taken now: what comes later rewrites it.
    const { method = '', url = '' } = request;
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      metrics.requested(operationOf(backend, method, url), status, (performance.now() - begunAt) / 1_000);
    });
  };

function operationOf(backend: OpenAPIBackend, method: string, url: string): string {
  try {
    return operationFor(backend, method, url)?.operationId ?? 'none';
  } catch {
    return 'none';
  }
}
