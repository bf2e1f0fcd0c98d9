// Every payout and conversion at the provider that no row of the service requested has an open discrepancy, and no other object has
// one. An object that the lists show unreadable becomes a discrepancy a night later: the first run only records that it cannot be
// read.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

export function unorderedIsShown({ ours, theirs, seen }: Books, check: Check): void {
  const recorded = Map.groupBy(
    ours.discrepancies.filter(({ kind }) => kind === 'not_ordered'),
    ({ provider_ref: ref }) => ref ?? '',
  );
  const unreadable = new Set(
    ours.findings.filter(({ resolved_at: resolvedAt }) => resolvedAt === null).map((one) => one.provider_ref),
  );
  for (const { uuid, origin_id: handle } of [...theirs.payouts, ...theirs.transfers]) {
    const found = recorded.get(uuid) ?? [];
    const open = found.filter(({ resolved_at: resolvedAt }) => resolvedAt === null);
    // Reconciliation may have seen an object before our row knew it. Then its discrepancy is resolved again.
    if (seen.unordered.has(handle))
      check(
        uuid,
        found.length === 0 ? unreadable.has(uuid) : found.length === 1 && open.length === 1,
        `nobody ordered it, and ${open.length} discrepancies say so`,
      );
    else check(uuid, open.length === 0, 'a discrepancy says that nobody ordered it');
    recorded.delete(uuid);
  }
  for (const [ref, rows] of recorded)
    check(
      rows[0]?.subject_id ?? ref,
      false,
      `not_ordered about ${ref || 'nothing'}, which is not at the provider`,
    );
}
