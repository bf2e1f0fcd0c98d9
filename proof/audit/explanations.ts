// Decides which differences the provider's own faults explain. The sandbox records the faults injected into it, by object. The
// store of an honest provider has no such record, so nothing is explained there.
import type { DiscrepancyRow } from './discrepancies.ts';
import type { Ours } from './ours.ts';
import { beyondAnyRule, causesOf, causesOfContradiction } from './rules/provider-faults.ts';
import type { Theirs } from './theirs.ts';

export type Explanations = {
  /** The kinds of injected fault that can cause the discrepancy. Empty if none can. */
  ofDiscrepancy: (discrepancy: DiscrepancyRow) => string[];
  /**
   * The kinds of injected fault that explain a difference between the two sides' books. `id` is the id of a user, a subject, its
   * transaction or quote, a handle, or an object of the provider. A difference is excused only by a fault that no rule can bound,
   * and only if an operator sees it: by a discrepancy, or because the payment is in manual review.
   */
  ofDifference: (id: string) => string[];
};

export function createExplanations(ours: Ours, theirs: Theirs): Explanations {
  const about = new Map<string, Set<string>>();
  for (const { kind, resource_uuid: uuid, origin_id: handle } of theirs.injected)
    for (const name of [uuid, handle]) if (name !== null) note(about, name, [kind]);
  const doneTo = (names: (string | null)[]): string[] => [
    ...new Set(names.flatMap((name) => [...(about.get(name ?? '') ?? [])])),
  ];

  const names = namesOf(ours, theirs);
  const doneToSubject = (id: string): string[] => doneTo([...(names.get(id) ?? [])]);
  const excused = new Map<string, Set<string>>();
  const inReview = ours.payments.filter(({ state }) => state === 'manual_review');
  const shown = [...ours.discrepancies, ...inReview.map(({ id, user_id }) => ({ subject_id: id, user_id }))];
  for (const { subject_id: subject, user_id: user } of shown) {
    const kinds = doneToSubject(subject).filter((kind) => beyondAnyRule.has(kind));
    for (const id of [user, subject, ...(names.get(subject) ?? [])]) note(excused, id, kinds);
  }
  return {
    ofDiscrepancy: ({ kind, subject_id: subject, handle, provider_ref: ref }) =>
      kind === 'contradicted_state'
        ? doneToSubject(subject).filter((fault) => causesOfContradiction.has(fault))
        : doneTo([handle, ref]).filter((fault) => causesOf[kind]?.includes(fault)),
    ofDifference: (id) => [...(excused.get(id) ?? [])],
  };
}

/**
 * Maps each subject to all its ids: its handles, the provider's objects under them, the quotes of its conversions at the provider, the
 * user's quote, and the transaction that the app shows for it.
 */
function namesOf({ resources, payments }: Ours, { transfers }: Theirs): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  const conversions = Map.groupBy(transfers, ({ origin_id: handle }) => handle);
  for (const { subject_id: id, handle, provider_ref: ref } of resources) {
    const quotes = (conversions.get(handle) ?? []).map(({ quote_uuid: quote }) => quote);
    note(names, id, [handle, ...(ref === null ? [] : [ref]), ...quotes]);
  }
  for (const { id, transaction_id: transaction, quote_id: quote } of payments)
    note(names, id, [transaction, `quote_${quote}`]);
  return names;
}

function note(sets: Map<string, Set<string>>, key: string, values: string[]): void {
  const present = sets.get(key);
  if (!present) sets.set(key, new Set(values));
  else for (const value of values) present.add(value);
}
