// Decides whether a call to the provider may be sent now, by the outcomes of earlier calls of this process: the provider may have
// asked to wait (`Retry-After`), the operation may fail (circuit.ts), or the whole provider may be unreachable (outage.ts).
import { setTimeout as pause } from 'node:timers/promises';
import { type CallObserver, type CallOutcome, outcomeOf } from './call-observer.ts';
import { type Circuit, createCircuit } from './circuit.ts';
import { notSent, OutcomeUnknown } from './errors.ts';
import { createOutage, type Probe } from './outage.ts';

/** The name of the circuit that an outage of the whole provider opens. */
export const ALL_OPERATIONS = 'all';

/** The target of a call. `compartment` is an operation of the provider, or one rail of that operation. It has its own circuit. */
export type Addressed = { operation: string; compartment: string };

export type Availability = {
  /**
   * Waits for the end of a `Retry-After`, if that is soon enough.
   * @param patienceMs the longest wait in milliseconds. If the `Retry-After` ends later, it throws without waiting.
   * @throws OutcomeUnknown (unsent) if the operation is not available.
   */
  assertAvailable: (call: Addressed, patienceMs: number) => Promise<void>;
  /** Sends a call, records its outcome, and returns the reply or rethrows the error. */
  record: <Reply>(call: Addressed, send: () => Promise<Reply>) => Promise<Reply>;
  isOpen: (compartment: string) => boolean;
  /** The compartments whose circuits are open, and `all` if the whole provider is unreachable. */
  openCircuits: () => string[];
  /** The open circuits, except those whose next trial is due. */
  failing: () => string[];
  /** How long a `Retry-After` still blocks calls of this operation, in milliseconds. */
  retryAfterMs: (operation: string) => number;
  close: () => void;
};

type AvailabilityOptions = { probe: Probe; timeoutMs: number; observer: CallObserver };

export function createAvailability({ probe, timeoutMs, observer }: AvailabilityOptions): Availability {
  const retryAfter = createRetryAfter(probe.operation);
  const circuits = createCircuits(observer);
  const outage = createOutage({
    probe: async () => {
      if (retryAfter.remainingMs(probe.operation) > 0) return 'the provider has asked to wait';
      const { operation } = probe;
      return record({ operation, compartment: operation }, probe.send).then(
        () => null,
        (error: unknown) => (outcomeOf(error) === 'failed' ? reasonOf(error) : null),
      );
    },
    probeTimeoutMs: timeoutMs,
    opened: (reason) => observer.opened(ALL_OPERATIONS, reason),
    closed: () => {
      observer.closed(ALL_OPERATIONS);
      circuits.reset();
    },
  });

  const whole = (): string[] => (outage.isOn() ? [ALL_OPERATIONS] : []);

  const record = async <Reply>(call: Addressed, send: () => Promise<Reply>): Promise<Reply> => {
    const begunAt = performance.now();
    const counted = circuits.of(call);
    const { circuit } = counted;
    const observe = (outcome: CallOutcome): void =>
      observer.called(call.operation, outcome, (performance.now() - begunAt) / 1_000);
    counted.inFlight += 1;
    try {
      const reply = await send();
      recordSuccess(circuit, outage);
      observe('answered');
      return reply;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'failed') circuit.recordFailure(begunAt, reasonOf(error));
      else recordSuccess(circuit, outage);
      retryAfter.record(call.operation, error);
      observe(outcome);
      const operations = new Set([
        ...circuits.open().map(({ operation }) => operation),
        ...retryAfter.unavailable(),
      ]);
      if (outcome === 'failed' && operations.size > 1) outage.suspect();
      throw error;
    } finally {
      counted.inFlight -= 1;
    }
  };

  return {
    assertAvailable: async (call, patienceMs) => {
      const waitMs = retryAfter.remainingMs(call.operation);
      if (waitMs > patienceMs) throw notSent(call.operation, 'the provider has asked to wait', waitMs);
      if (waitMs > 0) await pause(waitMs);
      if (!outage.allowRequest())
        throw notSent(call.operation, 'the provider cannot be reached at the moment');
      if (!circuits.of(call).circuit.allowRequest())
        throw notSent(call.operation, 'the provider does not answer this operation at the moment');
    },
    record,
    isOpen: (compartment) => outage.isOn() || circuits.isOpen(compartment),
    openCircuits: () => [...whole(), ...circuits.open().map(({ compartment }) => compartment)],
    failing: () => [...whole(), ...circuits.failing().map(({ compartment }) => compartment)],
    retryAfterMs: retryAfter.remainingMs,
    close: outage.stopProbing,
  };
}

const recordSuccess = (circuit: Circuit, outage: ReturnType<typeof createOutage>): void => {
  circuit.recordSuccess();
  outage.recordSuccess();
};

type CountedCircuit = Addressed & { circuit: Circuit; inFlight: number };

/** The circuits of all compartments that were called so far. */
function createCircuits(observer: CallObserver) {
  const circuits = new Map<string, CountedCircuit>();
  const open = (): CountedCircuit[] => [...circuits.values()].filter(({ circuit }) => circuit.isOpen());
  return {
    of: ({ operation, compartment }: Addressed): CountedCircuit => {
      const one = circuits.get(compartment);
      if (one) return one;
      const circuit = createCircuit({
        opened: (reason) => observer.opened(compartment, reason),
        closed: () => observer.closed(compartment),
      });
      const added = { operation, compartment, circuit, inFlight: 0 };
      circuits.set(compartment, added);
      return added;
    },
    open,
    isOpen: (compartment: string): boolean => circuits.get(compartment)?.circuit.isOpen() === true,
    failing: (): CountedCircuit[] =>
      open().filter(({ circuit, inFlight }) => inFlight > 0 || !circuit.isTrialDue()),
    reset: (): void => {
      for (const { circuit } of circuits.values()) circuit.reset();
    },
  };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

/** The longest `Retry-After` that is honoured, so that a wrong header cannot block calls for a year. */
const LONGEST_MS = 10 * 60_000;

/**
 * Tracks the provider's `Retry-After`. It blocks the operation that was answered with it. It blocks every operation only if the
 * provider as a whole refuses: after a 401 or 403, or after a 503 on several operations of which one is the probe.
 */
function createRetryAfter(probed: string) {
  const rateLimited = new Map<string, number>();
  const unavailable = new Map<string, number>();
  let refusedUntil = 0;

  /** The provider as a whole counts as unavailable while the probe and another operation are. */
  const unavailableUntil = (): number => {
    const others = [...unavailable].filter(([operation]) => operation !== probed);
    return Math.min(unavailable.get(probed) ?? 0, Math.max(0, ...others.map(([, until]) => until)));
  };

  return {
    record: (operation: string, error: unknown): void => {
      if (!(error instanceof OutcomeUnknown) || error.retryAfterMs === null) return;
      const end = performance.now() + Math.min(error.retryAfterMs, LONGEST_MS);
      if (error.status === 429) extend(rateLimited, operation, end);
      if (error.status === 503) extend(unavailable, operation, end);
      if (error.status === 401 || error.status === 403) refusedUntil = Math.max(refusedUntil, end);
    },
    /** The operations that are blocked by a 503. */
    unavailable: (): string[] =>
      [...unavailable].filter(([, until]) => until > performance.now()).map(([operation]) => operation),
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
