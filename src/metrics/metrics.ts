// Counts this process's activity: requests answered, calls to the provider, payments, callbacks, and waits for a start or a connection.
import { Counter, Histogram, Registry } from 'prom-client';
import type { PaymentReached } from '../outbox/hand-off.ts';
import type { CallObserver } from '../provider/call-observer.ts';
import type { WorkKind } from '../tables/work.ts';
import { addGauge } from './gauges.ts';

/** The buckets of durations, from a short query to the time-out of a call. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The buckets of waits within this process and in the outbox, from no wait to a backlog of hours. */
const WAIT_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];
/** The buckets of payments, from a fast provider to a payout that a rail holds for days. */
const PAYMENT_BUCKETS_SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400, 259_200];

/** How the pages of operators call each kind of work. */
const workNames: Record<WorkKind, string> = {
  effect: 'effect',
  callback: 'callback',
  poll: 'poll',
  page: 'nightly run',
};

/** `serving` is for requests and work, `batch` for nightly jobs, `erasure` for the role that erases people. */
export type PoolName = 'serving' | 'batch' | 'erasure';

const unknownCallbackKinds = ['unmapped', 'unowned'] as const;
type UnknownCallbackKind = (typeof unknownCallbackKinds)[number];

export type Metrics = {
  /** The service's own registry. Tests run several services in one process, so the library's global registry is not used. */
  registry: Registry;
  /** Counts an answered request. @param operation an operation of the contract, or `none`. */
  requested: (operation: string, status: number, seconds: number) => void;
  called: CallObserver['called'];
  refusedForOverload: () => void;
  paymentReached: PaymentReached;
  /** Counts a processed callback. @param seconds how long ago it was received. */
  callbackProcessed: (status: string, seconds: number) => void;
  /** Counts a stored callback that names none of our resources. @param bytes the length of its body. */
  unknownCallbackStored: (kind: UnknownCallbackKind, bytes: number) => void;
  /** Counts a piece of work that starts. @param seconds how long it was due before. */
  workWaited: (kind: WorkKind, seconds: number) => void;
  /** Counts a connection that was received or refused. @param seconds how long its statements waited for it. */
  connectionWaited: (pool: PoolName, seconds: number) => void;
  /** Counts connections of clients that were closed for others. */
  clientClosed: (reason: string, connections: number) => void;
  clientRefused: () => void;
};

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const buildInfo = [{ labels: { version }, value: 1 }];
  addGauge(registry, 'ponte_build_info', 'Always 1; its label is the version of the service.', buildInfo);
  return {
    registry,
    ...requestMetrics(registry),
    ...providerMetrics(registry),
    ...paymentMetrics(registry),
    ...callbackMetrics(registry),
    ...waitMetrics(registry),
    ...clientMetrics(registry),
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'requested'> {
  const requests = new Counter({
    name: 'ponte_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const requestSeconds = new Histogram({
    name: 'ponte_http_request_duration_seconds',
    help: 'Duration of requests, from their headers to the end of their answer.',
    labelNames: ['operation'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    requested: (operation, status, seconds) => {
      requests.inc({ operation, status });
      requestSeconds.observe({ operation }, seconds);
    },
  };
}

function providerMetrics(registry: Registry): Pick<Metrics, 'called'> {
  const calls = new Counter({
    name: 'ponte_provider_calls_total',
    help: 'Calls to the provider, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
  });
  const callSeconds = new Histogram({
    name: 'ponte_provider_call_duration_seconds',
    help: 'Duration of the calls that were sent to the provider.',
    labelNames: ['operation'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    called: (operation, outcome, seconds) => {
      calls.inc({ operation, outcome });
      if (outcome !== 'not_sent') callSeconds.observe({ operation }, seconds);
    },
  };
}

function paymentMetrics(registry: Registry): Pick<Metrics, 'refusedForOverload' | 'paymentReached'> {
  const overloadRefusals = new Counter({
    name: 'ponte_overload_refusals_total',
    help: 'Confirmations of payments that were refused because accepted payments wait too long.',
    registers: [registry],
  });
  const paymentSeconds = new Histogram({
    name: 'ponte_payment_duration_seconds',
    help: 'Time from the confirmation of a payment to each outcome that it reaches.',
    labelNames: ['outcome'],
    buckets: PAYMENT_BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    refusedForOverload: () => overloadRefusals.inc(),
    paymentReached: (outcome, seconds) => paymentSeconds.observe({ outcome }, Math.max(0, seconds)),
  };
}

function callbackMetrics(registry: Registry): Pick<Metrics, 'callbackProcessed' | 'unknownCallbackStored'> {
  const callbackSeconds = new Histogram({
    name: 'ponte_callback_lag_seconds',
    help: 'Time from the receipt of a callback to the end of its processing.',
    labelNames: ['status'],
    buckets: WAIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  const unknownCallbacks = new Counter({
    name: 'ponte_unknown_callbacks_total',
    help: 'Stored callbacks that name an unknown object, by whether the service uses such events.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const unknownCallbackBytes = new Counter({
    name: 'ponte_unknown_callback_bytes_total',
    help: 'Bytes of stored callbacks that name an unknown object.',
    labelNames: ['kind'],
    registers: [registry],
  });
  // A series that begins with its first event has no increase for Prometheus.
  for (const kind of unknownCallbackKinds)
    for (const counter of [unknownCallbacks, unknownCallbackBytes]) counter.inc({ kind }, 0);
  return {
    callbackProcessed: (status, seconds) => callbackSeconds.observe({ status }, Math.max(0, seconds)),
    unknownCallbackStored: (kind, bytes) => {
      unknownCallbacks.inc({ kind });
      unknownCallbackBytes.inc({ kind }, bytes);
    },
  };
}

function waitMetrics(registry: Registry): Pick<Metrics, 'workWaited' | 'connectionWaited'> {
  const workSeconds = new Histogram({
    name: 'ponte_outbox_wait_seconds',
    help: 'How long work was due before it started.',
    labelNames: ['kind'],
    buckets: WAIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  const connectionSeconds = new Histogram({
    name: 'ponte_database_connection_wait_seconds',
    help: 'How long statements waited for a connection of a pool.',
    labelNames: ['pool'],
    buckets: WAIT_BUCKETS_SECONDS.filter((seconds) => seconds <= 10),
    registers: [registry],
  });
  return {
    workWaited: (kind, seconds) => workSeconds.observe({ kind: workNames[kind] }, seconds),
    connectionWaited: (pool, seconds) => connectionSeconds.observe({ pool }, seconds),
  };
}

function clientMetrics(registry: Registry): Pick<Metrics, 'clientClosed' | 'clientRefused'> {
  const clientsClosed = new Counter({
    name: 'ponte_client_connections_closed_total',
    help: 'Client connections that were closed to make room for newer ones, by reason: unfinished headers, an unauthenticated body, idle, or an unread response.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const clientsRefused = new Counter({
    name: 'ponte_client_connections_refused_total',
    help: 'Client connections that were refused because requests ran on all others.',
    registers: [registry],
  });
  return {
    clientClosed: (reason, connections) => clientsClosed.inc({ reason }, connections),
    clientRefused: () => clientsRefused.inc(),
  };
}
