// A final state never changes, with two exceptions: the other bank returns the money, or a verification is approved later. A
// settlement made outside is recorded without a change of the state.
import type { Books } from '../books.ts';
import type { Hold } from '../counts.ts';
import { states } from '../rules/states.ts';

const exceptions = new Set([
  'pix_payment completed off-ramp.refunded manual_review',
  'pix_payment manual_review settled manual_review',
  'withdraw completed off-ramp.refunded failed',
  'kyc failed kyc.completed completed',
]);

export function endsStay({ ours }: Books, hold: Hold): void {
  for (const step of ours.transitions) {
    const { subject_kind: kind, subject_id: id, from_state: from, event, to_state: to } = step;
    const isEnd = from !== null && states[kind][from] === 'ends';
    hold(
      id,
      !isEnd || exceptions.has(`${kind} ${from} ${event} ${to}`),
      `went from ${from} to ${to} by ${event}`,
    );
  }
}
