// Counts this process's activity: requests answered, calls to the provider, payments, callbacks, and waits for a start or a connection.
import { Counter, Histogram, Registry } from 'prom-client';
import { kycFailureCodes } from '../../machines/kyc.machine.ts';
import { unitsOf } from '../domain/currency.ts';
import { failureCodes } from '../domain/failure-reasons.ts';
import type { Outcome, OutcomeReached, Residues } from '../domain/outcome.ts';
import { refusals } from '../domain/refusals.ts';
import { type CallObserver, callOutcomes } from '../provider/call-observer.ts';
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

/** A callback reports a change of the provider, or a poll finds it. */
const newsSources = ['callback', 'poll'] as const;
type NewsSource = (typeof newsSources)[number];

export type Metrics = {
  /** The service's own registry. Tests run several services in one process, so the library's global registry is not used. */
  registry: Registry;
  /** Counts an answered request. @param operation an operation of the contract, or `none`. */
  requested: (operation: string, status: number, seconds: number, refusal?: string) => void;
  /** Shows an answer that a request can get, and that no request has got. */
  answerable: (operation: string, status: string) => void;
  called: CallObserver['called'];
  /** Shows an operation of the provider that has not been called. */
  callable: (operation: string) => void;
  refusedForOverload: () => void;
  reached: OutcomeReached;
  /** Counts a report that changed a payment, a withdrawal or a verification, by how it was found. */
  newsFound: (source: NewsSource) => void;
  /** Counts a question that was refused because the user has no token left for answers that name a person. */
  nameBudgetEmpty: () => void;
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

/** @param build the version of the service, and its commit if it is known. */
export function createMetrics(build: { version: string; commit?: string }): Metrics {
  const registry = new Registry();
  addGauge(
    registry,
    'ponte_build_info',
    'Always 1; its labels are the version and the commit of the service.',
    [{ labels: { ...build }, value: 1 }],
  );
  return {
    registry,
    ...requestMetrics(registry),
    ...providerMetrics(registry),
    ...overloadMetrics(registry),
    ...outcomeMetrics(registry),
    ...newsMetrics(registry),
    ...callbackMetrics(registry),
    ...waitMetrics(registry),
    ...clientMetrics(registry),
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'requested' | 'answerable'> {
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
  const refused = new Counter({
    name: 'ponte_http_refusals_total',
    help: 'Requests refused, by the code of the refusal.',
    labelNames: ['code'],
    registers: [registry],
  });
  for (const code of Object.keys(refusals)) refused.inc({ code }, 0);
  return {
    requested: (operation, status, seconds, refusal) => {
      requests.inc({ operation, status });
      requestSeconds.observe({ operation }, seconds);
      if (refusal !== undefined) refused.inc({ code: refusal });
    },
    answerable: (operation, status) => requests.inc({ operation, status }, 0),
  };
}

function providerMetrics(registry: Registry): Pick<Metrics, 'called' | 'callable'> {
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
    callable: (operation) => {
      for (const outcome of callOutcomes) calls.inc({ operation, outcome }, 0);
    },
  };
}

function overloadMetrics(registry: Registry): Pick<Metrics, 'refusedForOverload' | 'nameBudgetEmpty'> {
  const overloadRefusals = new Counter({
    name: 'ponte_overload_refusals_total',
    help: 'Confirmations of payments that were refused because accepted payments wait too long.',
    registers: [registry],
  });
  const emptyNameBudgets = new Counter({
    name: 'ponte_name_budget_refusals_total',
    help: 'Look-ups and checks of names that were refused because the budget of the user was spent.',
    registers: [registry],
  });
  return {
    refusedForOverload: () => overloadRefusals.inc(),
    nameBudgetEmpty: () => emptyNameBudgets.inc(),
  };
}

const NO_REASON = 'none';

/** Every outcome, with the reasons that it may have. */
const outcomes: { [Name in Outcome['lifecycle']]: Record<OutcomeOf<Name>, readonly string[]> } = {
  pix_payment: {
    completed: [NO_REASON],
    failed: failureCodes,
    refunded: failureCodes,
    payout_failed: failureCodes,
    manual_review: failureCodes,
  },
  withdraw: { completed: [NO_REASON], failed: failureCodes },
  kyc: { completed: [NO_REASON], failed: [NO_REASON, ...kycFailureCodes] },
};

type OutcomeOf<Name extends Outcome['lifecycle']> = Extract<Outcome, { lifecycle: Name }>['outcome'];

function outcomeMetrics(registry: Registry): Pick<Metrics, 'reached'> {
  const counted = new Counter({
    name: 'ponte_outcomes_total',
    help: 'Payments, withdrawals and verifications that reached an outcome, by its reason.',
    labelNames: ['lifecycle', 'outcome', 'reason'],
    registers: [registry],
  });
  const seconds = {
    pix_payment: durations(
      'ponte_payment_duration_seconds',
      'Time from the confirmation of a payment to each outcome that it reaches.',
    ),
    withdraw: durations(
      'ponte_withdraw_duration_seconds',
      'Time from the acceptance of a withdrawal to each outcome that it reaches.',
    ),
    kyc: null,
  };
  function durations(name: string, help: string): Histogram {
    return new Histogram({
      name,
      help,
      labelNames: ['outcome'],
      buckets: PAYMENT_BUCKETS_SECONDS,
      registers: [registry],
    });
  }
  for (const [lifecycle, reasonsOf] of Object.entries(outcomes))
    for (const [outcome, reasons] of Object.entries(reasonsOf)) {
      for (const reason of reasons) counted.inc({ lifecycle, outcome, reason }, 0);
      seconds[lifecycle as Outcome['lifecycle']]?.zero({ outcome });
    }
  const countResidues = residueMetrics(registry);
  return {
    reached: (ended) => {
      const { lifecycle, outcome, reason, seconds: after } = ended;
      counted.inc({ lifecycle, outcome, reason: reason ?? NO_REASON });
      seconds[lifecycle]?.observe({ outcome }, Math.max(0, after));
      if (ended.lifecycle === 'pix_payment' && ended.residues !== null) countResidues(ended.residues);
    },
  };
}

function residueMetrics(registry: Registry): (residues: Residues) => void {
  const counterOf = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['currency'], registers: [registry] });
  const leftOver = counterOf(
    'ponte_residues_total',
    'Money that the conversions of ended payments left over, in units of its currency.',
  );
  const borne = counterOf(
    'ponte_return_subsidies_total',
    'Money that the company bore for returns of payments, in units of its currency.',
  );
  const currencies = ['USDC', 'BRL'] as const;
  for (const counter of [leftOver, borne]) for (const currency of currencies) counter.inc({ currency }, 0);
  return (residues) => {
    for (const currency of currencies) {
      const units = unitsOf(residues[currency], currency);
      if (units < 0) borne.inc({ currency }, -units);
      else leftOver.inc({ currency }, units);
    }
  };
}

function newsMetrics(registry: Registry): Pick<Metrics, 'newsFound'> {
  const news = new Counter({
    name: 'ponte_provider_news_total',
    help: 'Reports of the provider that changed a row, by whether a callback or a poll found them. Verifications do not count.',
    labelNames: ['source'],
    registers: [registry],
  });
  for (const source of newsSources) news.inc({ source }, 0);
  return { newsFound: (source) => news.inc({ source }) };
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
