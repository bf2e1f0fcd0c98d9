// Writes structured logs to standard output: a code, a sentence and fields. Errors are reduced to properties that contain
// no personal value and no secret.
import { type DestinationStream, pino } from 'pino';
import type { Log } from '../domain/log.ts';
import { currentTraceId } from '../platform/tracing/tracing.ts';

export const createLog = (level: string, to: DestinationStream = process.stdout): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError, err: describeError },
      mixin: traceOf,
    },
    to,
  );

/** Names the trace that a line belongs to, so that the line and its spans are found from each other. */
function traceOf(): { traceId?: string } {
  const traceId = currentTraceId();
  return traceId === null ? {} : { traceId };
}

/**
 * Returns the type, message, code and stack of an error, and its causes. Other properties may contain values, so they are omitted.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
