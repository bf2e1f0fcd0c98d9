// Tells whether the whole provider is unreachable, so that operations without recent calls need not find out for themselves. An outage
// begins if several operations fail, a probe fails as well, and no call has succeeded since the probe was sent. While it lasts, only
// probes are sent. The first success ends it.
import type { CircuitEvents } from './circuit.ts';

const PROBE_INTERVAL_MS = 3_000;
/** If only the probe fails, a call that is let through this often still detects the recovery. */
const TRIAL_INTERVAL_MS = 60_000;

export type Probe = { operation: string; send: () => Promise<unknown> };

export type OutageOptions = CircuitEvents & {
  /** Sends the probe. Resolves to the reason of a failure, or null if the provider answered. */
  probe: () => Promise<string | null>;
  /** The time limit of a probe, in milliseconds. Probes are sent at least a quarter of it apart. */
  probeTimeoutMs: number;
};

export type Outage = {
  /** Returns whether a call may be sent. During an outage, one call per minute is let through. */
  allowRequest: () => boolean;
  isOn: () => boolean;
  /** Says that several operations fail. A probe is sent, unless one was sent recently. */
  suspect: () => void;
  recordSuccess: () => void;
  stopProbing: () => void;
};

export function createOutage({ probe, probeTimeoutMs, opened, closed }: OutageOptions): Outage {
  const intervalMs = Math.max(PROBE_INTERVAL_MS, probeTimeoutMs / 4);
  let [answeredAt, probedAt, trialAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  let probing: NodeJS.Timeout | null = null;

  const check = async (): Promise<void> => {
    const begunAt = performance.now();
    probedAt = begunAt;
    const reason = await probe();
    if (reason === null || answeredAt >= begunAt || probing !== null) return;
    trialAt = performance.now() + TRIAL_INTERVAL_MS;
    probing = setInterval(() => void check(), intervalMs).unref();
    opened(reason);
  };

  const stopProbing = (): void => {
    if (probing) clearInterval(probing);
    probing = null;
  };

  return {
    isOn: () => probing !== null,
    allowRequest: () => {
      if (probing === null) return true;
      const now = performance.now();
      if (now < trialAt) return false;
      trialAt = now + TRIAL_INTERVAL_MS;
      return true;
    },
    suspect: () => {
      if (probing === null && performance.now() - probedAt >= intervalMs) void check();
    },
    recordSuccess: () => {
      answeredAt = performance.now();
      if (probing === null) return;
      stopProbing();
      closed();
    },
    stopProbing,
  };
}
