// The circuit breaker. It opens when most of the recent calls have failed for three seconds. While it is open, only a probe is sent
// every few seconds. The first success, of a probe or of a call, closes it.

/** The number of recent calls that the breaker looks at. */
const SAMPLE_SIZE = 20;
/** Calls that ended longer ago than this are dropped from the sample. */
const SAMPLED_FOR_MS = 30_000;
/** The circuit opens if at least this many calls of the sample failed, and at least this share of them. */
const MIN_FAILURES = 5;
const FAILED_SHARE = 0.7;
/** A burst of concurrent failures shorter than this does not open the circuit. */
const FAILING_FOR_MS = 3_000;
const PROBE_INTERVAL_MS = 3_000;
/** If only the probe fails, a call that is let through this often still detects the recovery. */
const TRIAL_INTERVAL_MS = 60_000;

export type CircuitOptions = {
  /** Sends a cheap call to the provider. Its outcome is recorded like that of any other call. */
  probe: () => void;
  /** The time limit of a probe, in milliseconds. Probes are sent at least a quarter of it apart. */
  probeTimeoutMs: number;
  opened: (reason: string) => void;
  closed: () => void;
};

export type Circuit = {
  /** Whether a call may be sent. An open circuit lets one call per minute through. */
  allowRequest: () => boolean;
  isOpen: () => boolean;
  /** Records that the provider answered. A refusal also counts as a success. */
  recordSuccess: () => void;
  /** Records a failed call. `begunAt` is when the call started, on `performance.now()`. */
  recordFailure: (begunAt: number, reason: string) => void;
  /** Stops the probes when the process ends. */
  stopProbing: () => void;
};

type SampledCall = { begunAt: number; endedAt: number; hasFailed: boolean };

export function createCircuit({ probe, probeTimeoutMs, opened, closed }: CircuitOptions): Circuit {
  let sample: SampledCall[] = [];
  /** When the first failure of the sample started. Null unless most calls of the sample failed. */
  let failingSince: number | null = null;
  let trialAt = 0;
  let probing: NodeJS.Timeout | null = null;

  const add = (call: SampledCall): void => {
    sample = [...sample, call]
      .slice(-SAMPLE_SIZE)
      .filter(({ endedAt }) => call.endedAt - endedAt < SAMPLED_FOR_MS);
    const failures = sample.filter(({ hasFailed }) => hasFailed);
    const isFailing = failures.length >= MIN_FAILURES && failures.length >= FAILED_SHARE * sample.length;
    failingSince = isFailing ? (failingSince ?? Math.min(...failures.map(({ begunAt }) => begunAt))) : null;
  };

  const open = (now: number, reason: string): void => {
    trialAt = now + TRIAL_INTERVAL_MS;
    probing = setInterval(probe, Math.max(PROBE_INTERVAL_MS, probeTimeoutMs / 4)).unref();
    opened(reason);
  };

  const close = (): void => {
    if (probing) clearInterval(probing);
    probing = null;
    sample = [];
    failingSince = null;
  };

  return {
    isOpen: () => probing !== null,
    allowRequest: () => {
      if (probing === null) return true;
      const now = performance.now();
      if (now < trialAt) return false;
      trialAt = now + TRIAL_INTERVAL_MS;
      return true;
    },
    recordSuccess: () => {
      const now = performance.now();
      if (probing === null) return add({ begunAt: now, endedAt: now, hasFailed: false });
      close();
      closed();
    },
    recordFailure: (begunAt, reason) => {
      const now = performance.now();
      add({ begunAt, endedAt: now, hasFailed: true });
      const isDown = failingSince !== null && now - failingSince >= FAILING_FOR_MS;
      if (isDown && probing === null) open(now, reason);
    },
    stopProbing: close,
  };
}
