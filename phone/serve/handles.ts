// The handles under which the provider knows what an id of the service stands for.
import { type HandlePurpose, handleFor } from '../../src/domain/handles.ts';

/** The objects of a payment or a withdrawal at the provider. The payout is first, because users ask about it. */
const purposes: HandlePurpose[] = [
  'payout',
  'withdraw',
  'conversion-return',
  'conversion-reverse',
  'conversion-leg2',
  'conversion-leg1',
  'conversion-direct',
];

/** @param id the id of a payment or of a withdrawal. */
export const handlesOf = (id: string): string[] => purposes.map((purpose) => handleFor(id, purpose));
