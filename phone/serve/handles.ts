// The handles under which the provider knows what an id of the service stands for.
import { type HandlePurpose, handleFor } from '../../src/domain/handles.ts';

/** What a payment or a withdrawal makes at the provider. The payout comes first, because it is what the user asks about. */
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
