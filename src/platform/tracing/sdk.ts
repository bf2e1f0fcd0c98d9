// Starts OpenTelemetry's SDK: which traces are sampled, and their export over OTLP/HTTP. Only a process that traces loads this file.
// The exporter also reads its other standard variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT).
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SamplerName } from './sampler-names.ts';
import { setTracer } from './tracing.ts';

export type TracingOptions = {
  /** The collector's base URL. Spans are sent to its path `/v1/traces`. */
  endpoint: string;
  serviceName: string;
  serviceVersion: string;
  sampler: SamplerName;
  /** The share of traces that is sampled, from 0 to 1. */
  ratio: number;
  /** Called when an export fails after one that succeeded. */
  failed: (error: unknown) => void;
  /** Called when an export succeeds after one that failed. */
  recovered: () => void;
};

const samplers: Record<SamplerName, (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/**
 * Starts tracing in this process.
 * @returns a function that exports the remaining spans and ends tracing. Its promise rejects if they cannot be exported.
 * @throws Error if the process traces already.
 */
export function startSdk(options: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    sampler: samplers[options.sampler](options.ratio),
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.serviceVersion,
    }),
    // Finished spans wait in memory for their export, at most 2,048 of them. Further ones are dropped, and no request waits.
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(exporter, options) })],
  });
  if (!context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
    throw new Error('this process traces already');
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  setTracer(provider.getTracer('ponte', options.serviceVersion));
  return async () => {
    setTracer(null);
    trace.disable();
    propagation.disable();
    context.disable();
    await provider.shutdown();
  };
}

/** Reports the first failure of a series, and its end. An unreachable collector fails every export. */
function reporting(
  exporter: SpanExporter,
  { failed, recovered }: Pick<TracingOptions, 'failed' | 'recovered'>,
): SpanExporter {
  let isFailing = false;
  const observe = ({ code, error }: ExportResult): void => {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed && !isFailing) failed(error);
    if (!hasFailed && isFailing) recovered();
    isFailing = hasFailed;
  };
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        observe(result);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
