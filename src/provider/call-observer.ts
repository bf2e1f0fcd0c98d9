// Observation of the calls to the provider, for logs, metrics and operators.
import { OutcomeUnknown, ProviderRefusal } from './errors.ts';

/**
 * How a call ended. `answered`: as the contract promises. `refused`: with a definitive no. `unclear`: with another
 * answer, so the provider can be reached. `failed`: with a 5xx or without an answer. `not_sent`: it was rejected before
 * it was sent.
 */
const callOutcomes = ['answered', 'refused', 'unclear', 'failed', 'not_sent'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** Called for every event, and must not throw. */
export type CallObserver = {
  called: (operation: string, outcome: CallOutcome, seconds: number) => void;
  /** The circuit opened, or closed again. */
  opened: (reason: string) => void;
  closed: () => void;
};

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof ProviderRefusal) return 'refused';
  if (!(error instanceof OutcomeUnknown)) return 'failed';
  if (!error.sent) return 'not_sent';
  return error.status !== null && error.status < 500 ? 'unclear' : 'failed';
}
