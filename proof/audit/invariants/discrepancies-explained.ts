// No open discrepancy lacks an explanation. With an honest provider there is none. With injected faults, the report lists each
// discrepancy that they explain, and each that was settled.
import type { Books } from '../books.ts';
import type { Check, List } from '../counts.ts';
import type { DiscrepancyRow } from '../discrepancies.ts';

export function discrepanciesAreExplained(
  { ours, theirs, seen, explanations }: Books,
  check: Check,
  list: List,
): void {
  const unexplained = new Map<string, DiscrepancyRow>();
  const unordered = new Set(
    theirs.payouts.filter(({ origin_id: handle }) => seen.unordered.has(handle)).map(({ uuid }) => uuid),
  );
  for (const discrepancy of ours.discrepancies) {
    const { subject_id: id, resolved_at: resolvedAt, resolution } = discrepancy;
    const causes = explanations.ofDiscrepancy(discrepancy);
    if (discrepancy.kind === 'not_ordered' && unordered.has(discrepancy.provider_ref ?? '')) continue;
    if (causes.length > 0) list(id, `${textOf(discrepancy)}: the provider had ${causes.join(', ')}`);
    else if (resolvedAt !== null) list(id, `${textOf(discrepancy)}, settled: ${resolution}`);
    else unexplained.set(id, discrepancy);
  }
  const subjects = [...ours.payments, ...ours.withdraws, ...ours.verifications, ...ours.accounts];
  for (const id of new Set([...subjects.map((subject) => subject.id), ...unexplained.keys()])) {
    const open = unexplained.get(id);
    check(
      id,
      open === undefined,
      open ? `${textOf(open)}, with no fault of the provider that explains it` : '',
    );
  }
}

const textOf = ({ kind, event, state, handle }: DiscrepancyRow): string =>
  `${kind}: ${event} in ${state} of ${handle}`;
