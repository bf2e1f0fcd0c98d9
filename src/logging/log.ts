// Structured logs to standard output. What could identify a person or reveal a secret is removed before it is written.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export const createLog = (level: string, to: DestinationStream = process.stdout): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError, err: describeError },
    },
    to,
  );

/** The kind, message and stack of an error, with its causes; other properties may carry values, so they stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
