// No discrepancy is open that nothing explains: with an honest provider there is none, and where it was made to misbehave,
// each that this explains is listed. So is each that was settled.
import type { Books } from '../books.ts';
import type { Hold, List } from '../counts.ts';
import type { DiscrepancyRow } from '../discrepancies.ts';

export function discrepanciesAreExplained({ ours, explanations }: Books, hold: Hold, list: List): void {
  const unexplained = new Map<string, DiscrepancyRow>();
  for (const discrepancy of ours.discrepancies) {
    const { subject_id: id, resolved_at: resolvedAt, resolution } = discrepancy;
    const causes = explanations.ofDiscrepancy(discrepancy);
    if (causes.length > 0) list(id, `${told(discrepancy)}: the provider had ${causes.join(', ')}`);
    else if (resolvedAt !== null) list(id, `${told(discrepancy)}, settled: ${resolution}`);
    else unexplained.set(id, discrepancy);
  }
  const subjects = [...ours.payments, ...ours.withdraws, ...ours.verifications, ...ours.accounts];
  for (const id of new Set([...subjects.map((subject) => subject.id), ...unexplained.keys()])) {
    const open = unexplained.get(id);
    hold(id, open === undefined, open ? `${told(open)}, and the provider was honest about it` : '');
  }
}

const told = ({ kind, event, state, handle }: DiscrepancyRow): string =>
  `${kind}: ${event} in ${state} of ${handle}`;
