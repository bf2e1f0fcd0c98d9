// Contests a payout. A provider may not have contestations.
import { OutcomeUnknown, ProviderRefusal, saysAbsent } from './errors.ts';
import type { ContestationRequest, ContestationSnapshot, Provider } from './port.ts';

export type Contested =
  | { outcome: 'contested'; contestation: ContestationSnapshot }
  /** The provider refuses to contest this payout. */
  | { outcome: 'refused' }
  /** The provider has a contestation under the handle, with another reason or description. */
  | { outcome: 'contested_otherwise' }
  /** The provider has no contestations. */
  | { outcome: 'unsupported' }
  /** The contestation may exist. Repeating the request returns it. */
  | { outcome: 'unanswered'; cause: OutcomeUnknown };

/** Contests a payout. It does not throw for an answer of the provider. */
export async function contestPayout(provider: Provider, request: ContestationRequest): Promise<Contested> {
  try {
    return { outcome: 'contested', contestation: await provider.createContestation(request) };
  } catch (cause) {
    if (cause instanceof ProviderRefusal)
      return { outcome: cause.code === 'origin_id_conflict' ? 'contested_otherwise' : 'refused' };
    if (cause instanceof OutcomeUnknown)
      return saysAbsent(cause) ? { outcome: 'unsupported' } : { outcome: 'unanswered', cause };
    throw cause;
  }
}
