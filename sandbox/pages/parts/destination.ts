// The recipient of a payout, in a few words.
import type { Schemas } from '../../provider/operation.ts';
import type { PayoutRow } from '../../store/rows.ts';

export function destination({ rail, destination: stored }: PayoutRow): string {
  const to = JSON.parse(stored) as Schemas['Destination'];
  if ('pix_key' in to) return `${rail} ${to.pix_key}`;
  return `${rail} ${to.account_holder_name}, ${'iban' in to ? to.iban : `${to.sort_code} ${to.account_number}`}`;
}
