// Spans of the work of this process, and the trace context that connects them. Until a tracer is set (sdk.ts), every function here
// only runs what it is given. A span has codes, statuses and our ids, never a personal value, a token or the message of an error.
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

let tracer: Tracer | null = null;

/** Sets the tracer of this process. Null: nothing is traced. */
export const setTracer = (used: Tracer | null): void => {
  tracer = used;
};

export const isTracing = (): boolean => tracer !== null;

export type SetAttributes = (attributes: Attributes) => void;

export type NewSpan = {
  name: string;
  attributes?: Attributes;
  /** `server` for a request to this service, `client` for a call that it makes. */
  kind?: 'server' | 'client';
  /**
   * The stored `traceparent` of the span that caused this one. Null: the span begins a trace. Absent: the current span is the parent.
   */
  parent?: string | null;
  /** The `traceparent` of a caller that is not trusted: the span refers to it, and does not belong to its trace. */
  link?: string | null;
};

export type OpenSpan = {
  /** Whether the span is sampled. Attributes and the end of a span that is not sampled have no effect, so a caller can omit them. */
  isRecording: boolean;
  /** Runs `work`. Spans that it opens, also asynchronously, are children of this span. */
  run: <Result>(work: () => Result) => Result;
  set: SetAttributes;
  end: (end: { name?: string; isError: boolean }) => void;
};

/** Opens a span that the caller ends. Null if nothing is traced. */
export function openSpan({ name, attributes = {}, kind, parent, link }: NewSpan): OpenSpan | null {
  if (tracer === null) return null;
  const within = parent === undefined ? context.active() : contextFrom(parent);
  const linked = link ? trace.getSpanContext(contextFrom(link)) : undefined;
  const options = {
    attributes,
    kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
    links: linked === undefined ? [] : [{ context: linked }],
  };
  const span = tracer.startSpan(name, options, within);
  return {
    isRecording: span.isRecording(),
    run: (work) => context.with(trace.setSpan(within, span), work),
    set: (more) => void span.setAttributes(more),
    end: ({ name: finalName, isError }) => {
      if (finalName !== undefined) span.updateName(finalName);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs `work` in a span. @param work can add attributes, for example its outcome. An error that it throws marks the span as failed. */
export function inSpan<Result>(
  span: NewSpan,
  work: (set: SetAttributes) => Promise<Result>,
): Promise<Result> {
  const open = openSpan(span);
  if (open === null) return work(() => undefined);
  return open.isRecording ? runIn(open, work) : open.run(() => work(() => undefined));
}

async function runIn<Result>(
  { run, set, end }: OpenSpan,
  work: (set: SetAttributes) => Promise<Result>,
): Promise<Result> {
  let isError = true;
  try {
    const result = await run(() => work(set));
    isError = false;
    return result;
  } catch (error) {
    // The name of an error is its class. Its message may contain a personal value.
    set({ 'error.type': error instanceof Error ? error.name : 'unknown' });
    throw error;
  } finally {
    end({ isError });
  }
}

/**
 * Runs `work` without a current span. Work that a process starts for others, for example after a commit, would otherwise belong to the
 * trace of the request that happened to start it.
 */
export const outsideTraces = <Result>(work: () => Result): Result =>
  tracer === null ? work() : context.with(ROOT_CONTEXT, work);

/** Returns the W3C `traceparent` of the current span, which is stored with work. Null if nothing is traced. */
export const currentTraceparent = (): string | null => {
  if (tracer === null) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
};

/** Returns the id of the current span's trace. Null outside spans, and if nothing is traced. */
export const currentTraceId = (): string | null =>
  tracer === null ? null : (trace.getSpanContext(context.active())?.traceId ?? null);

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** Returns the context of a `traceparent`. One that is missing or not valid gives a context without a span. */
const contextFrom = (traceparent: string | null): Context =>
  traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
