// Decides whether a call to the provider may be sent now, by the outcomes of earlier calls of this process: the provider may have
// asked to wait (`Retry-After`), or be unreachable (the circuit breaker).
import { setTimeout as pause } from 'node:timers/promises';
import { type CallObserver, type CallOutcome, outcomeOf } from './call-observer.ts';
import { createCircuit } from './circuit.ts';
import { notSent, OutcomeUnknown } from './errors.ts';

export type Availability = {
  /**
   * Waits for the end of a `Retry-After`, if that is soon enough.
   * @param patienceMs the longest wait in milliseconds. If the `Retry-After` ends later, it throws without waiting.
   * @throws OutcomeUnknown (unsent) if the operation is not available.
   */
  assertAvailable: (operation: string, patienceMs: number) => Promise<void>;
  /** Sends a call, records its outcome, and returns the reply or rethrows the error. */
  record: <Reply>(operation: string, send: () => Promise<Reply>) => Promise<Reply>;
  isCircuitOpen: () => boolean;
  /** How long a `Retry-After` still blocks calls of this operation, in milliseconds. */
  retryAfterMs: (operation: string) => number;
  close: () => void;
};

/** A cheap call that shows whether the provider can be reached again. */
export type Probe = { operation: string; send: () => Promise<unknown> };

export function createAvailability({
  probe,
  timeoutMs,
  observer,
}: {
  probe: Probe;
  timeoutMs: number;
  observer: CallObserver;
}): Availability {
  const retryAfter = createRetryAfter();
  const circuit = createCircuit({
    probe: () => {
      if (retryAfter.remainingMs(probe.operation) === 0)
        record(probe.operation, probe.send).catch(() => undefined);
    },
    probeTimeoutMs: timeoutMs,
    opened: observer.opened,
    closed: observer.closed,
  });

  const record = async <Reply>(operation: string, send: () => Promise<Reply>): Promise<Reply> => {
    const begunAt = performance.now();
    const observe = (outcome: CallOutcome): void =>
      observer.called(operation, outcome, (performance.now() - begunAt) / 1_000);
    try {
      const reply = await send();
      circuit.recordSuccess();
      observe('answered');
      return reply;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'failed')
        circuit.recordFailure(begunAt, error instanceof Error ? error.message : 'unknown');
      else circuit.recordSuccess();
      retryAfter.record(operation, error);
      observe(outcome);
      throw error;
    }
  };

  return {
    assertAvailable: async (operation, patienceMs) => {
      const waitMs = retryAfter.remainingMs(operation);
      if (waitMs > patienceMs) throw notSent(operation, 'the provider has asked to wait', waitMs);
      if (waitMs > 0) await pause(waitMs);
      if (!circuit.allowRequest()) throw notSent(operation, 'the provider cannot be reached at the moment');
    },
    record,
    isCircuitOpen: circuit.isOpen,
    retryAfterMs: retryAfter.remainingMs,
    close: circuit.stopProbing,
  };
}

/** The longest `Retry-After` that is honoured, so that a wrong header cannot block calls for a year. */
const LONGEST_MS = 10 * 60_000;

/**
 * Tracks the provider's `Retry-After`. It blocks the operation that was answered with it. It blocks every operation only if the
 * provider as a whole refuses: after a 401 or 403, or after a 503 on several operations.
 */
function createRetryAfter() {
  const rateLimited = new Map<string, number>();
  const unavailable = new Map<string, number>();
  let refusedUntil = 0;

  /** The provider as a whole counts as unavailable while at least two of its operations are unavailable. */
  const unavailableUntil = (): number => [...unavailable.values()].toSorted((a, b) => b - a)[1] ?? 0;

  return {
    record: (operation: string, error: unknown): void => {
      if (!(error instanceof OutcomeUnknown) || error.retryAfterMs === null) return;
      const end = performance.now() + Math.min(error.retryAfterMs, LONGEST_MS);
      if (error.status === 429) extend(rateLimited, operation, end);
      if (error.status === 503) extend(unavailable, operation, end);
      if (error.status === 401 || error.status === 403) refusedUntil = Math.max(refusedUntil, end);
    },
    /** How long calls of this operation are still blocked, in milliseconds. */
    remainingMs: (operation: string): number => {
      const own = Math.max(rateLimited.get(operation) ?? 0, unavailable.get(operation) ?? 0);
      return Math.max(0, Math.max(own, refusedUntil, unavailableUntil()) - performance.now());
    },
  };
}

/** Sets the end of an operation's block, unless it is blocked longer already. */
const extend = (ends: Map<string, number>, operation: string, end: number): void => {
  ends.set(operation, Math.max(ends.get(operation) ?? 0, end));
};
