// The circuit breaker of one operation of the provider. It opens when most of its recent calls have failed for three seconds. While it
// is open, one call every three seconds is sent as a trial. The first success closes it, or thirty seconds without a failure: without calls,
// it is unknown whether the operation still fails.

/** The number of recent calls that the breaker looks at. */
const SAMPLE_SIZE = 20;
/** Calls that ended longer ago than this are dropped from the sample. */
const SAMPLED_FOR_MS = 30_000;
/** The circuit opens if at least this many calls of the sample failed, and at least this share of them. */
const MIN_FAILURES = 5;
const FAILED_SHARE = 0.7;
/** A burst of concurrent failures shorter than this does not open the circuit. */
const FAILING_FOR_MS = 3_000;
const TRIAL_INTERVAL_MS = 3_000;

export type Circuit = {
  /** Returns whether a call may be sent. An open circuit lets one call in three seconds through. */
  allowRequest: () => boolean;
  isOpen: () => boolean;
  /** Returns whether the circuit is open and the next call is a trial. */
  isTrialDue: () => boolean;
  /** Records that the provider answered. A refusal also counts as a success. */
  recordSuccess: () => void;
  /** Records a failed call. `begunAt` is when the call started, on `performance.now()`. */
  recordFailure: (begunAt: number, reason: string) => void;
  /** Closes an open circuit, because the provider can be reached again. */
  reset: () => void;
};

export type CircuitEvents = { opened: (reason: string) => void; closed: () => void };

type SampledCall = { begunAt: number; endedAt: number; hasFailed: boolean };

export function createCircuit({ opened, closed }: CircuitEvents): Circuit {
  let sample: SampledCall[] = [];
  /** When the first failure of the sample started. Null unless most calls of the sample failed. */
  let failingSince: number | null = null;
  /** When the next trial may be sent. Null while the circuit is closed. */
  let trialAt: number | null = null;
  let forgetting: NodeJS.Timeout | undefined;

  const add = (call: SampledCall): void => {
    sample = [...sample, call]
      .slice(-SAMPLE_SIZE)
      .filter(({ endedAt }) => call.endedAt - endedAt < SAMPLED_FOR_MS);
    const failures = sample.filter(({ hasFailed }) => hasFailed);
    const isFailing = failures.length >= MIN_FAILURES && failures.length >= FAILED_SHARE * sample.length;
    failingSince = isFailing ? (failingSince ?? Math.min(...failures.map(({ begunAt }) => begunAt))) : null;
  };

  const close = (): void => {
    clearTimeout(forgetting);
    [sample, failingSince, trialAt] = [[], null, null];
    closed();
  };

  return {
    isOpen: () => trialAt !== null,
    isTrialDue: () => trialAt !== null && performance.now() >= trialAt,
    allowRequest: () => {
      if (trialAt === null) return true;
      const now = performance.now();
      if (now < trialAt) return false;
      trialAt = now + TRIAL_INTERVAL_MS;
      return true;
    },
    recordSuccess: () => {
      const now = performance.now();
      if (trialAt === null) return add({ begunAt: now, endedAt: now, hasFailed: false });
      close();
    },
    reset: () => {
      if (trialAt !== null) close();
    },
    recordFailure: (begunAt, reason) => {
      const now = performance.now();
      add({ begunAt, endedAt: now, hasFailed: true });
      const isDown = failingSince !== null && now - failingSince >= FAILING_FOR_MS;
      if (trialAt === null && !isDown) return;
      clearTimeout(forgetting);
      forgetting = setTimeout(close, SAMPLED_FOR_MS).unref();
      if (trialAt !== null) return;
      trialAt = now + TRIAL_INTERVAL_MS;
      opened(reason);
    },
  };
}
