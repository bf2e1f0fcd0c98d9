// The circuit breaker: after five failures over three seconds with no success between them no call is sent but a probe
// every few seconds. The first success, of a probe or of a call, closes it again.

/** So many failures, with no success between them, over so long: twenty calls that fail in one moment do not open it. */
const FAILURES = 5;
const FAILING_FOR_MS = 3_000;
/** An older failure no longer counts. */
const FORGOTTEN_AFTER_MS = 60_000;
const PROBE_INTERVAL_MS = 3_000;
/** Should only the probe fail, a real call still detects the recovery. */
const TRIAL_INTERVAL_MS = 60_000;

export type CircuitOptions = {
  /** Sends a cheap call to the provider; its outcome is recorded as that of any other call. */
  probe: () => void;
  /** How long a probe may take, in milliseconds: a slow one must not delay the next. */
  probeTimeoutMs: number;
  opened: (reason: string) => void;
  closed: () => void;
};

export type Circuit = {
  /** Whether a call may be sent; an open circuit lets one call a minute through. */
  allowRequest: () => boolean;
  isOpen: () => boolean;
  /** The provider answered: a refusal counts as a success, too. */
  recordSuccess: () => void;
  /** @param begunAt when the failed call began, by `performance.now()`. */
  recordFailure: (begunAt: number, reason: string) => void;
  /** For the end of the process: no more probes. */
  stopProbing: () => void;
};

export function createCircuit({ probe, probeTimeoutMs, opened, closed }: CircuitOptions): Circuit {
  let failures = 0;
  let failingSince = 0;
  let lastFailureAt = 0;
  let lastAnswerAt = 0;
  let trialAt = 0;
  let probing: NodeJS.Timeout | null = null;

  const open = (now: number, reason: string): void => {
    trialAt = now + TRIAL_INTERVAL_MS;
    probing = setInterval(probe, Math.max(PROBE_INTERVAL_MS, probeTimeoutMs / 4)).unref();
    opened(reason);
  };

  const close = (): void => {
    if (probing) clearInterval(probing);
    probing = null;
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
      failures = 0;
      lastAnswerAt = performance.now();
      if (probing === null) return;
      close();
      closed();
    },
    recordFailure: (begunAt, reason) => {
      const now = performance.now();
      if (now - lastFailureAt > FORGOTTEN_AFTER_MS) failures = 0;
      if (failures === 0) failingSince = Math.max(begunAt, lastAnswerAt);
      failures += 1;
      lastFailureAt = now;
      const isGone = failures >= FAILURES && now - failingSince >= FAILING_FOR_MS;
      if (isGone && probing === null) open(now, reason);
    },
    stopProbing: close,
  };
}
