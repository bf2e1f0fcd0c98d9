// The sandbox's fault injection for the run: faults affect nearly every payment, but not all payments fail.
import type { ProviderFaults } from './imperfect-provider.ts';

const FAULTS = {
  replies: {
    dropped: 0.03,
    reset: 0.02,
    error500: 0.03,
    error503: 0.015,
    hang: 0.01,
    drip: 0.01,
    broken: 0.02,
    redirect: 0.01,
  },
  callbacks: { lost: 0.1, duplicated: 0.1, delayed: 0.1, delayedMs: 3_000, reordered: 0.1, early: 0.05 },
  business: {
    shortByOne: 0.02,
    refundedLater: 0.03,
    completedLate: 0.02,
    expiredQuote: 0.02,
    slowAccount: 0.1,
    failedTransfer: 0.04,
    failedPayout: 0.06,
  },
};

export type ProviderFaultInjection = {
  start: () => Promise<void>;
  stop: () => Promise<void>;
  /** The number of faults so far, by kind. While the sandbox is down, these are the last known numbers. */
  faults: () => Promise<Record<string, number>>;
};

/** @param provider additional faults of an imperfect provider. */
export function createProviderFaultInjection(
  sandboxUrl: string,
  seed: number,
  provider: ProviderFaults,
): ProviderFaultInjection {
  let counts: Record<string, number> = {};
  return {
    start: () => insist(`${sandboxUrl}/sandbox/fault-injection`, 'PUT', { seed, ...FAULTS, provider }),
    stop: () => insist(`${sandboxUrl}/sandbox/fault-injection`, 'DELETE'),
    faults: async () => {
      const answer = await fetch(`${sandboxUrl}/sandbox/fault-injection/faults`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => null);
      if (answer?.ok) counts = (await answer.json()) as Record<string, number>;
      return counts;
    },
  };
}

/** @param order the fault for the next calls of an operation: see sandbox/README.md. */
export const orderFault = (sandboxUrl: string, order: object): Promise<void> =>
  insist(`${sandboxUrl}/sandbox/fault-injection/next`, 'POST', order);

/** Repeats the request, because the sandbox may be down for a moment. */
async function insist(url: string, method: string, json?: object): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await fetch(url, {
      method,
      ...(json && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
    }).catch(() => null);
    if (answer?.ok) return;
    if (attempts === 100) throw new Error(`${method} ${url} answers ${answer?.status ?? 'nothing'}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
