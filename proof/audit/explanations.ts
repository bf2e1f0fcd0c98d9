// Which differences the provider's own misbehaviour explains. What the sandbox was made to do wrong it has recorded, by the
// object it was done to; an honest provider's store has no such record, and then nothing is explained.
import type { DiscrepancyRow } from './discrepancies.ts';
import type { Ours } from './ours.ts';
import { beyondAnyRule } from './rules/provider-faults.ts';
import type { Theirs } from './theirs.ts';

export type Explanations = {
  /** The kinds of fault that a discrepancy can come from; empty: it has no excuse. */
  ofDiscrepancy: (discrepancy: DiscrepancyRow) => string[];
  /**
   * The same for a difference between our books and the provider's, by the id of a user, a subject, its transaction or
   * quote, a handle, or an object of the provider's. Only what no rule can bound excuses it, and only where a
   * discrepancy shows it to an operator.
   */
  ofDifference: (id: string) => string[];
};

export function createExplanations(ours: Ours, { injected }: Theirs): Explanations {
  const names = namesOf(ours);
  const about = Map.groupBy(
    injected.flatMap(({ kind, resource_uuid: uuid, origin_id: handle }) => [
      { kind, name: handle },
      ...(uuid === handle ? [] : [{ kind, name: uuid }]),
    ]),
    ({ name }) => name,
  );
  // A clock that jumps, or reads that lag, are about no object in particular.
  const general = injected
    .filter(({ resource_uuid: uuid, origin_id: handle }) => uuid === null && handle === null)
    .map(({ kind }) => kind);
  const doneTo = (subjectId: string): string[] =>
    (names.get(subjectId) ?? []).flatMap((name) => about.get(name)?.map(({ kind }) => kind) ?? []);

  const shownAs = new Map(
    ours.payments.map(({ id, transaction_id: transaction, quote_id: quote }) => [
      id,
      [transaction, `quote_${quote}`],
    ]),
  );
  const excused = new Map<string, string[]>();
  for (const { subject_id: subject, user_id: user } of ours.discrepancies) {
    const kinds = doneTo(subject).filter((kind) => beyondAnyRule.has(kind));
    if (kinds.length === 0) continue;
    for (const id of [user, subject, ...(names.get(subject) ?? []), ...(shownAs.get(subject) ?? [])])
      excused.set(id, [...new Set([...(excused.get(id) ?? []), ...kinds])]);
  }
  return {
    ofDiscrepancy: ({ subject_id: subject, kind }) => [
      ...new Set([...doneTo(subject), ...(ofOneObject.has(kind) ? [] : general)]),
    ],
    ofDifference: (id) => excused.get(id) ?? [],
  };
}

/** Discrepancies that need a fault of the very object. */
const ofOneObject = new Set(['twin', 'vanished', 'amount_mismatch']);

/** What the provider may call the things of each subject: its handles, the objects under them, its quotes. */
function namesOf({ resources, payments, quotes }: Ours): Map<string, string[]> {
  const quoteAtProvider = new Map(quotes.map(({ id, provider_quote_id: uuid }) => [id, uuid]));
  const named = [
    ...resources.flatMap(({ subject_id: id, handle, provider_ref: ref }) => [
      { id, name: handle },
      { id, name: ref },
    ]),
    ...payments.map(({ id, quote_id: quote }) => ({ id, name: quoteAtProvider.get(quote) ?? null })),
  ];
  const names = new Map<string, string[]>();
  for (const { id, name } of named) if (name !== null) names.set(id, [...(names.get(id) ?? []), name]);
  return names;
}
