// The provider as this process sees it at this moment: read when the metrics are scraped.
import { Gauge, type Registry } from 'prom-client';
import type { Priority } from '../provider/call-priority.ts';
import type { GateState } from '../provider/gate.ts';

const priorities: readonly Priority[] = ['interactive', 'background'];

export function addProviderGauges(registry: Registry, state: () => GateState): void {
  const now = (name: string, help: string, value: (read: GateState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value(state()));
      },
    });
  const byPriority = (name: string, help: string, of: 'underWay' | 'waiting') =>
    new Gauge({
      name,
      help,
      labelNames: ['priority'],
      registers: [registry],
      collect() {
        const { load } = state();
        for (const priority of priorities) this.set({ priority }, load[priority][of]);
      },
    });

  now(
    'ponte_provider_circuit_open',
    '1 while the circuit is open: calls are refused unsent until a probe is answered.',
    ({ isOpen }) => Number(isOpen),
  );
  now(
    'ponte_provider_retry_after_seconds',
    'Seconds that remain of the longest Retry-After which the provider sent.',
    ({ aloneForMs }) => aloneForMs / 1_000,
  );
  byPriority('ponte_provider_calls_in_flight', 'Calls to the provider in flight, by priority.', 'underWay');
  byPriority('ponte_provider_calls_queued', 'Calls that wait for a free slot, by priority.', 'waiting');
  now(
    'ponte_provider_calls_concurrency_limit',
    'Most calls that may be in flight at the same time.',
    ({ limit }) => limit,
  );
}
