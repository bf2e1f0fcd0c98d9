// Asks whether a limit would stop a payout. A provider may not have such checks. Only a clear and timely no counts: any other answer
// changes nothing, because a payout that is not allowed fails without a loss.
import { setTimeout as pause } from 'node:timers/promises';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import { OutcomeUnknown, ProviderRefusal } from './errors.ts';
import type { PayoutToCheck, Provider } from './port.ts';

/** A confirmation waits no longer for the check. */
const DEADLINE_MS = 2_000;
/** How long a provider without checks is not asked again. */
const ABSENT_FOR_MS = 10 * 60_000;

type PayoutChecker = Pick<Provider, 'checkPayout'>;

export type PayoutChecks = {
  /** Returns why the payout would fail. Null unless the provider clearly says so in time. It does not throw for an answer. */
  check: (provider: PayoutChecker, payout: PayoutToCheck) => Promise<PayoutFailure | null>;
};

/** @param nowMs a clock that never steps back. */
export function createPayoutChecks(nowMs = () => performance.now(), deadlineMs = DEADLINE_MS): PayoutChecks {
  let absentUntilMs = 0;

  async function ask(provider: PayoutChecker, payout: PayoutToCheck): Promise<PayoutFailure | null> {
    try {
      return await provider.checkPayout(payout);
    } catch (error) {
      if (error instanceof OutcomeUnknown && isAbsent(error.status)) absentUntilMs = nowMs() + ABSENT_FOR_MS;
      if (error instanceof OutcomeUnknown || error instanceof ProviderRefusal) return null;
      throw error;
    }
  }

  return {
    check: async (provider, payout) => {
      if (nowMs() < absentUntilMs) return null;
      const answered = new AbortController();
      const tooLate = pause(deadlineMs, null, { signal: answered.signal, ref: false }).catch(() => null);
      try {
        return await Promise.race([ask(provider, payout), tooLate]);
      } finally {
        answered.abort();
      }
    },
  };
}

/** A provider that has checks never answers 404 to one. */
const isAbsent = (status: number | null): boolean => status === 404 || status === 405 || status === 501;
