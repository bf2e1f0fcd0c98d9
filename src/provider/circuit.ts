// Whether there is any use in asking. A provider that has failed everybody for a while is left alone, but for a look now
// and then; the first answer to anybody ends it.

/** So many failures, with no answer between them, over so long: a blip that fails twenty calls at once is none of these. */
const FAILURES = 5;
const FAILING_FOR_MS = 3_000;
/** A failure says nothing about one that came so much later. */
const FORGOTTEN_AFTER_MS = 60_000;
const PROBE_INTERVAL_MS = 3_000;
/** Should only the look be broken, a real call still finds out. */
const TRIAL_INTERVAL_MS = 60_000;

export type CircuitOptions = {
  /** Asks the provider something cheap; what comes of it is reported as of any other call. */
  probe: () => void;
  /** How long a look may take, in milliseconds: a slow one must not delay the next. */
  probeTimeoutMs: number;
  opened: (reason: string) => void;
  closed: () => void;
};

export type Circuit = {
  /** Whether to ask; once in a while an open circuit lets a call through. */
  allowRequest: () => boolean;
  isOpen: () => boolean;
  /** The provider answered, whatever it said. */
  recordSuccess: () => void;
  /** @param begunAt when the failed call began, by `performance.now()`. */
  recordFailure: (begunAt: number, reason: string) => void;
  /** For the end of the process: no more looks. */
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
