// A final state never changes, with three exceptions: the other bank returns the money, a verification is approved later, or a failed
// verification is tried again. A settlement made outside and the reason of a failure are recorded without a change of the state.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { states } from '../rules/states.ts';

const exceptions = new Set([
  'pix_payment completed off-ramp.refunded manual_review',
  'pix_payment manual_review settled manual_review',
  'withdraw completed off-ramp.refunded failed',
  'kyc failed kyc.completed completed',
  'kyc failed kyc.restarted pending',
  'kyc failed kyc.failed failed',
]);

export function endsStay({ ours }: Books, check: Check): void {
  for (const step of ours.transitions) {
    const { subject_kind: kind, subject_id: id, from_state: from, event, to_state: to } = step;
    const isEnd = from !== null && states[kind][from] === 'ends';
    check(
      id,
      !isEnd || exceptions.has(`${kind} ${from} ${event} ${to}`),
      `went from ${from} to ${to} by ${event}`,
    );
  }
}
