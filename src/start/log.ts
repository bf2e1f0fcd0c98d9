// Writes structured logs to standard output: a code, a sentence and fields. Errors are reduced to properties that contain
// no personal value and no secret.
import { type DestinationStream, pino } from 'pino';
import type { Log } from '../domain/log.ts';
import { reasonOf } from '../domain/reason-of.ts';
import { currentTraceId } from '../platform/tracing/tracing.ts';
import { OutcomeUnknown, ProviderRefusal, UnreadableReply } from '../provider/errors.ts';

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
 * Returns the type, message, code and stack of an error, and its causes. Other properties may contain values, so they are omitted. A
 * failure of the provider has no stack: it is expected, and occurs in every retry of an outage.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  const described = { type: error.name, message: error.message, ...code };
  const { cause } = error;
  if (isFailureOfProvider(error))
    return cause === undefined ? described : { ...described, reason: reasonOf(cause) };
  return { ...described, stack: error.stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}

/** Returns whether the provider did not do what was asked. A reply that does not match the contract is unexpected, and keeps its stack. */
const isFailureOfProvider = (error: Error): boolean =>
  error instanceof ProviderRefusal ||
  (error instanceof OutcomeUnknown && !(error instanceof UnreadableReply));
