// Every object that the provider's lists cannot show is recorded as unreadable, and no other object is. Reconciliation has scanned the
// lists to their ends, and has resolved the findings of the objects that it could fetch by their uuids.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { UNREADABLE } from '../rules/provider-faults.ts';

export function unreadableIsFound({ ours, theirs }: Books, check: Check): void {
  const injected = new Set(
    theirs.injected.filter(({ kind }) => kind === UNREADABLE).map(({ resource_uuid: uuid }) => uuid),
  );
  const findings = new Map(ours.findings.map((finding) => [finding.provider_ref, finding]));
  for (const { uuid } of [...theirs.transfers, ...theirs.payouts]) {
    const finding = findings.get(uuid);
    if (!injected.has(uuid))
      check(uuid, finding === undefined, 'it is recorded as unreadable, and was readable');
    else {
      check(uuid, finding !== undefined, 'no list shows it, and it is not recorded');
      const isRead = finding?.resolution === 'It can be read since.';
      check(uuid, finding?.resolved_at === null || isRead, 'no list shows it, and it is resolved unread');
    }
  }
  const objects = new Set([...theirs.transfers, ...theirs.payouts].map(({ uuid }) => uuid));
  for (const { kind, list, provider_ref: ref } of ours.findings)
    check(
      ref ?? list,
      ref !== null && objects.has(ref),
      `${kind} in the list of ${list}, with no fault behind it`,
    );
}
