// Counts this process's activity: requests answered, and calls to the provider.
import { Counter, Histogram, Registry } from 'prom-client';
import { version } from '../platform/config/version.ts';
import type { CallObserver } from '../provider/call-observer.ts';
import { addGauge } from './gauges.ts';

/** The buckets of durations, from a short query to the time-out of a call. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const buildInfo = {
  name: 'ponte_build_info',
  help: 'Always 1; its label is the version of the service.',
  labelNames: ['version'],
};

export type Metrics = {
  /** The service's own registry. Tests run several services in one process, so the library's global registry is not used. */
  registry: Registry;
  /** Counts an answered request. @param operation an operation of the contract, or `none`. */
  requested: (operation: string, status: number, seconds: number) => void;
  called: CallObserver['called'];
  refusedForOverload: () => void;
};

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  addGauge(registry, buildInfo, [{ labels: { version }, value: 1 }]);
  const requests = new Counter({
    name: 'ponte_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'ponte_http_request_duration_seconds',
    help: 'Duration of requests, from their headers to the end of their answer.',
    labelNames: ['operation'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const calls = new Counter({
    name: 'ponte_provider_calls_total',
    help: 'Calls to the provider, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'ponte_provider_call_duration_seconds',
    help: 'Duration of the calls that were sent to the provider.',
    labelNames: ['operation'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const overloadRefusals = new Counter({
    name: 'ponte_overload_refusals_total',
    help: 'Confirmations of payments that were refused because accepted payments wait too long.',
    registers,
  });
  return {
    registry,
    refusedForOverload: () => overloadRefusals.inc(),
    requested: (operation, status, seconds) => {
      requests.inc({ operation, status });
      requestSeconds.observe({ operation }, seconds);
    },
    called: (operation, outcome, seconds) => {
      calls.inc({ operation, outcome });
      if (outcome !== 'not_sent') callSeconds.observe({ operation }, seconds);
    },
  };
}
