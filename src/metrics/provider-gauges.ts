// Exports this process's view of the connection to the provider. It is read when the metrics are scraped.
import { Gauge, type Registry } from 'prom-client';
import type { ConnectionState } from '../provider/port.ts';

export function addProviderGauges(registry: Registry, state: () => ConnectionState): void {
  const now = (name: string, help: string, value: (state: ConnectionState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value(state()));
      },
    });
  const by = <Label extends string>(
    label: Label,
    name: string,
    help: string,
    values: (state: ConnectionState) => Record<string, number>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        for (const [key, value] of Object.entries(values(state()))) this.labels(key).set(value);
      },
    });

  now(
    'ponte_provider_circuit_open',
    '1 while the circuit is open: calls are refused unsent until a probe is answered.',
    ({ isCircuitOpen }) => Number(isCircuitOpen),
  );
  by(
    'operation',
    'ponte_provider_retry_after_seconds',
    'Seconds for which a Retry-After of the provider still keeps back calls, by operation.',
    ({ retryAfterMs }) => mapValues(retryAfterMs, (ms) => ms / 1_000),
  );
  by(
    'priority',
    'ponte_provider_calls_in_flight',
    'Calls to the provider in flight, by priority.',
    ({ calls }) => mapValues(calls, ({ inFlight }) => inFlight),
  );
  by(
    'priority',
    'ponte_provider_calls_queued',
    'Calls that wait for a free slot, by priority.',
    ({ calls }) => mapValues(calls, ({ queued }) => queued),
  );
  now(
    'ponte_provider_calls_concurrency_limit',
    'Most calls that may be in flight at the same time.',
    ({ concurrencyLimit }) => concurrencyLimit,
  );
}

const mapValues = <Value>(
  record: Record<string, Value>,
  map: (value: Value) => number,
): Record<string, number> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
