// Checks the name on a bank account while the user waits. A provider may not have such checks. Another answer that is of no use changes
// nothing: the user can withdraw without one.
import { setTimeout as pause } from 'node:timers/promises';
import type { BankDetails } from '../domain/bank-details.ts';
import { OutcomeUnknown, ProviderRefusal, saysAbsent } from './errors.ts';
import type { BankValidation, Provider } from './port.ts';

/** A user waits no longer for the bank. */
const DEADLINE_MS = 6_000;
/** How long the service relies on what it knows about whether the provider has checks. */
const KNOWN_FOR_MS = 10 * 60_000;

export type CheckedName =
  | { outcome: 'answered'; answer: BankValidation }
  | { outcome: 'unavailable'; cause: unknown }
  /** The provider has no checks. */
  | { outcome: 'unsupported' };

type NameChecker = Pick<Provider, 'validateBankDetails'>;

export type NameChecks = {
  /** Asks the bank. It does not throw for an answer of the provider, or for none in time. */
  check: (provider: NameChecker, details: BankDetails) => Promise<CheckedName>;
  /**
   * Returns whether the provider has no checks. If that is not known, it asks about these details, and drops the answer. A provider that
   * does not answer counts as one that has them.
   */
  areAbsent: (provider: NameChecker, details: BankDetails) => Promise<boolean>;
};

/** @param nowMs a clock that never steps back. */
export function createNameChecks(nowMs = () => performance.now(), deadlineMs = DEADLINE_MS): NameChecks {
  let absence: { isAbsent: boolean; untilMs: number } = { isAbsent: false, untilMs: 0 };

  const check: NameChecks['check'] = async (provider, details) => {
    const answered = new AbortController();
    const tooLate = pause(deadlineMs, undefined, { signal: answered.signal, ref: false }).then(
      () => ({ outcome: 'unavailable', cause: new Error('no answer in time') }) as const,
      () => ({ outcome: 'unavailable', cause: null }) as const,
    );
    try {
      const checked = await Promise.race([ask(provider, details), tooLate]);
      if (checked.outcome !== 'unavailable')
        absence = { isAbsent: checked.outcome === 'unsupported', untilMs: nowMs() + KNOWN_FOR_MS };
      return checked;
    } finally {
      answered.abort();
    }
  };

  return {
    check,
    areAbsent: async (provider, details) => {
      if (nowMs() < absence.untilMs) return absence.isAbsent;
      return (await check(provider, details)).outcome === 'unsupported';
    },
  };
}

async function ask(provider: NameChecker, details: BankDetails): Promise<CheckedName> {
  try {
    return { outcome: 'answered', answer: await provider.validateBankDetails(details) };
  } catch (cause) {
    if (cause instanceof OutcomeUnknown && saysAbsent(cause)) return { outcome: 'unsupported' };
    if (cause instanceof OutcomeUnknown || cause instanceof ProviderRefusal)
      return { outcome: 'unavailable', cause };
    throw cause;
  }
}
