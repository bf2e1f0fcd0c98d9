// Every object at the provider has a row of the service that requested it, and every object that a row names exists at the
// provider.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { Refund, Resource } from '../ours-rows.ts';
import { handles } from '../rules/handles.ts';

export function nothingWithoutRow({ ours, theirs, seen }: Books, check: Check): void {
  const objects = [
    ...theirs.owners.map(({ uuid, external_id: handle }) => ({ kind: 'owner', uuid, handle })),
    ...theirs.accounts.map(({ uuid, external_id: handle }) => ({ kind: 'account', uuid, handle })),
    ...theirs.transfers.map(({ uuid, origin_id: handle }) => ({ kind: 'transfer', uuid, handle })),
    ...theirs.payouts.map(({ uuid, origin_id: handle }) => ({ kind: 'payout', uuid, handle })),
    ...theirs.contestations.map(({ uuid, origin_id: handle }) => ({ kind: 'contestation', uuid, handle })),
  ];
  const subjects = new Set(
    [
      ...ours.payments,
      ...ours.withdraws,
      ...ours.verifications,
      ...ours.accounts,
      ...ours.contestations,
      ...ours.refunds,
    ].map(({ id }) => id),
  );
  const resources = new Map(ours.resources.map((resource) => [resource.handle, resource]));
  for (const { kind, uuid, handle } of objects) {
    // The service must not have a row for this payout: see unordered-shown.ts.
    if (seen.unordered.has(handle)) continue;
    const resource = resources.get(handle);
    check(
      resource?.subject_id ?? uuid,
      resource?.kind === kind && resource.provider_ref === uuid && subjects.has(resource.subject_id),
      `${kind} ${uuid} at the provider: ${resource ? `here it is ${resource.provider_ref}` : 'no row'}`,
    );
  }

  const there = new Set(objects.map(({ kind, uuid }) => `${kind} ${uuid}`));
  for (const { kind, provider_ref: ref, subject_id: id } of ours.resources)
    if (ref !== null) check(id, there.has(`${kind} ${ref}`), `${kind} ${ref} is not at the provider`);
  for (const { id, provider_account_id: ref, currency } of ours.accounts)
    if (ref !== null)
      check(id, there.has(`account ${ref}`), `the ${currency} account is not at the provider`);

  const currencies = new Map(ours.accounts.map(({ id, currency }) => [id, currency]));
  const contested = new Map(ours.contestations.map(({ id, payment_id: payment }) => [id, payment]));
  const parts = new Map(ours.refunds.map((refund) => [refund.id, refund]));
  for (const resource of ours.resources)
    check(
      resource.subject_id,
      isOwnHandle(resource, contested, parts) ?? resource.handle === handleOf(resource, currencies),
      `its ${resource.leg ?? ''} ${resource.kind} has a handle not its own`,
    );
}

/** Returns whether a contestation or the conversion of a part has its own handle. Null for every other resource. */
function isOwnHandle(
  { handle, kind, leg, subject_id: id }: Resource,
  contested: Map<string, string>,
  parts: Map<string, Refund>,
): boolean | null {
  if (kind === 'contestation') return handle === handles.contestation(contested.get(id) ?? '');
  if (leg !== 'partial') return null;
  const part = parts.get(id);
  if (part === undefined) return false;
  // A refused conversion does not count, so its handle has the next number.
  const attempts = Array.from({ length: part.attempt + 1 }, (_, index) => index + 1);
  return attempts.some((attempt) => handle === handles.partial(part.movement_ref, attempt));
}

/** The expected handle of a resource. Every repetition of a request has the same one. */
function handleOf(
  { kind, leg, subject_kind: subjectKind, subject_id: id, user_id: userId }: Resource,
  currencies: Map<string, string>,
): string {
  if (kind === 'owner') return handles.owner(userId);
  if (kind === 'account') return handles.account(userId, currencies.get(id) ?? '');
  if (kind === 'transfer') return leg === null ? '' : handles.conversion(id, leg);
  return subjectKind === 'withdraw' ? handles.withdraw(id) : handles.payout(id);
}
