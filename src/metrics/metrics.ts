// What this process counts while it works: requests to us, and calls of ours to the provider.

import type { CallObserver } from '../provider/call-observer.ts';
import type { GateState } from '../provider/gate.ts';
import { createCounter, createHistogram, type Family, gauge } from './registry.ts';

export type Metrics = {
  /** @param operation of the contract, or `none`. */
  requested: (operation: string, status: number, seconds: number) => void;
  called: CallObserver['called'];
  families: () => Family[];
};

export function createMetrics(): Metrics {
  const requests = createCounter('ponte_http_requests_total', 'Requests answered.');
  const requestSeconds = createHistogram('ponte_http_request_duration_seconds', 'How long they took.');
  const calls = createCounter('ponte_provider_calls_total', 'Calls to the provider, by how they went.');
  const callSeconds = createHistogram(
    'ponte_provider_call_duration_seconds',
    'How long those took that were sent.',
  );
  return {
    requested: (operation, status, seconds) => {
      requests.add({ operation, status: String(status) });
      requestSeconds.observe({ operation }, seconds);
    },
    called: (operation, outcome, seconds) => {
      calls.add({ operation, outcome });
      if (outcome !== 'not_sent') callSeconds.observe({ operation }, seconds);
    },
    families: () => [requests, requestSeconds, calls, callSeconds].map(({ family }) => family()),
  };
}

/** How the way to the provider is at this moment, from this process. */
export function providerFamilies({ load, limit, isOpen, aloneForMs }: GateState): Family[] {
  const byAsker = (what: 'underWay' | 'waiting') =>
    (['request', 'work'] as const).map((asker) => ({ labels: { asker }, value: load[asker][what] }));
  return [
    gauge('ponte_provider_circuit_open', '1 while nothing is sent because the provider is out of reach.', [
      { value: Number(isOpen) },
    ]),
    gauge('ponte_provider_left_alone_seconds', 'How long the provider still wants to be left alone.', [
      { value: aloneForMs / 1_000 },
    ]),
    gauge('ponte_provider_calls_under_way', 'Calls to the provider now, by who waits.', byAsker('underWay')),
    gauge('ponte_provider_calls_waiting', 'Calls that wait for their turn.', byAsker('waiting')),
    gauge('ponte_provider_calls_limit', 'How many may be under way at once.', [{ value: limit }]),
  ];
}
