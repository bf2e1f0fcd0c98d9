// Continues after the recipient: with the amount, or with the price if a code contains the amount.
import { type Draft, draft } from '../state/intents.ts';
import { go } from '../state/route.ts';

export function proceed(to: Draft): void {
  draft.set(to);
  go(to.isAmountFixed ? '/pay/confirm' : '/pay/amount');
}
