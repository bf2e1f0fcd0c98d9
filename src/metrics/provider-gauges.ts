// Exports this process's view of the connection to the provider. It is read when the metrics are scraped.
import { Gauge } from 'prom-client';
import { ALL_OPERATIONS } from '../provider/availability.ts';
import type { ConnectionState } from '../provider/port.ts';
import type { Reading } from './gauges.ts';
import type { Metrics } from './metrics.ts';

/** Also shows the operations that have not been called yet. */
export function addProviderGauges(
  { registry, callable }: Pick<Metrics, 'registry' | 'callable'>,
  state: () => ConnectionState,
): void {
  for (const operation of Object.keys(state().retryAfterMs)) callable(operation);
  const add = (name: string, help: string, labelNames: string[], read: (now: ConnectionState) => Reading[]) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const { labels = {}, value } of read(state())) this.set(labels, value);
      },
    });

  add(
    'ponte_provider_circuit_open',
    '1 while the circuit of an operation is open: its calls are refused unsent, except for trials. `all`: the provider is unreachable.',
    ['operation'],
    ({ openCircuits, retryAfterMs }) =>
      [...Object.keys(retryAfterMs), ALL_OPERATIONS].map((operation) => ({
        labels: { operation },
        // A rail of an operation has a circuit of its own, named `operation rail`.
        value: Number(openCircuits.some((circuit) => circuit.split(' ')[0] === operation)),
      })),
  );
  add(
    'ponte_provider_retry_after_seconds',
    'Seconds for which a Retry-After of the provider still keeps back calls, by operation.',
    ['operation'],
    ({ retryAfterMs }) =>
      Object.entries(retryAfterMs).map(([operation, ms]) => ({ labels: { operation }, value: ms / 1_000 })),
  );
  add(
    'ponte_provider_calls_in_flight',
    'Calls to the provider in flight, by priority.',
    ['priority'],
    ({ calls }) =>
      Object.entries(calls).map(([priority, { inFlight: value }]) => ({ labels: { priority }, value })),
  );
  add(
    'ponte_provider_calls_queued',
    'Calls that wait for a free slot, by priority.',
    ['priority'],
    ({ calls }) =>
      Object.entries(calls).map(([priority, { queued: value }]) => ({ labels: { priority }, value })),
  );
  add(
    'ponte_provider_calls_concurrency_limit',
    'Most calls that may be in flight at the same time.',
    [],
    ({ concurrencyLimit }) => [{ value: concurrencyLimit }],
  );
}
