// From the recipient to the next step: the amount, or the price where a code says how much.
import { type Draft, draft } from '../state/intents.ts';
import { go } from '../state/route.ts';

export function proceed(to: Draft): void {
  draft.set(to);
  go(to.isAmountFixed ? '/pay/confirm' : '/pay/amount');
}
