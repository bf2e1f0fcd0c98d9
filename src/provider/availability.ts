// Whether a call to the provider may be sent now, by the outcomes of the calls before it: the provider may have asked to
// wait (`Retry-After`), or be unreachable (the circuit breaker). What one call finds out holds for all of this process.
import { setTimeout as pause } from 'node:timers/promises';
import { type CallObserver, type CallOutcome, outcomeOf } from './call-observer.ts';
import { createCircuit } from './circuit.ts';
import { notSent } from './errors.ts';
import { createRetryAfter } from './retry-after.ts';

export type Availability = {
  /**
   * @param patienceMs how long to wait for the end of a `Retry-After`; where it takes longer, no call waits.
   * @throws OutcomeUnknown, unsent, while the operation is not available.
   */
  assertAvailable: (operation: string, patienceMs: number) => Promise<void>;
  /** Sends a call and records its outcome, which stays what it is. */
  record: <Reply>(operation: string, send: () => Promise<Reply>) => Promise<Reply>;
  isCircuitOpen: () => boolean;
  /** For how long `Retry-After` keeps calls of this operation back, in milliseconds. */
  retryAfterMs: (operation: string) => number;
  close: () => void;
};

/** A cheap call which shows whether the provider can be reached again. */
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
