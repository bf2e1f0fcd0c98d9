// Reports the calls to the provider to logs, metrics and operators.
import { OutcomeUnknown, ProviderRefusal } from './errors.ts';

/**
 * The outcome of a call. `answered`: a success reply of the contract. `refused`: a definitive refusal. `unclear`: another reply with
 * a status below 500, or 501 for an operation that the provider lacks, so the provider can be reached. `failed`: another 5xx, or no
 * reply. `not_sent`: the call was rejected before it was sent.
 */
export const callOutcomes = ['answered', 'refused', 'unclear', 'failed', 'not_sent'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** Callbacks for the outcomes of calls and the changes of the circuit. They must not throw. */
export type CallObserver = {
  called: (operation: string, outcome: CallOutcome, seconds: number) => void;
  /** Called when a circuit opens. @param circuit an operation, one rail of an operation, or `all`. */
  opened: (circuit: string, reason: string) => void;
  closed: (circuit: string) => void;
};

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof ProviderRefusal) return 'refused';
  if (!(error instanceof OutcomeUnknown)) return 'failed';
  if (!error.sent) return 'not_sent';
  return error.status !== null && (error.status < 500 || error.status === 501) ? 'unclear' : 'failed';
}
