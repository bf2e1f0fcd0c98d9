// Measures every request under its operation's name. Paths contain ids and secrets; operation names do not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admitted } from './request.ts';

/** The status recorded for a client that disconnected before it had the whole response. */
export const GONE = 499;

/** @param record counts a finished request, with its duration in seconds. */
export const measure =
  (record: (operation: string, status: number, seconds: number) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const begunAt = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : GONE;
      const operation = (request as Partial<Admitted>).matched?.id ?? 'none';
      record(operation, status, (performance.now() - begunAt) / 1_000);
    });
  };
