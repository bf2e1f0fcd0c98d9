// What the provider says and a row's state does not allow: either the row has taken just that from this resource before,
// or the two contradict each other. A discrepancy is recorded for operators and never forced upon the row.
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import type { discrepancyKinds } from '../entities/discrepancy.ts';
import type { Entity } from '../entities/rows.ts';
import type { SubjectKind } from '../entities/subject.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { findOpenDiscrepancy, insertDiscrepancy } from '../sql/discrepancies.ts';
import { findLastEventOf } from '../sql/transitions.ts';
import type { Difference } from './as-ordered.ts';

/** An event in the machine's words, and the state that did not allow it; null: it means nothing to that machine at all. */
export type NotApplied = {
  event: { type: string } | null;
  state: string;
  /** In what it differs from what was ordered; empty where only the state does not allow it. */
  differs: Difference[];
};

export type DiscrepancyKind = (typeof discrepancyKinds)[number];

type Taken = { event: string; eventData: unknown };

/** What two reports of one outcome must agree in. */
const figures = ['sourceAmountMinor', 'destinationAmountMinor', 'amountMinor', 'currency', 'level'];

/**
 * The rule, in one place: a refused event is harmless when it says what the row last took from the same resource, with the
 * same figures. That covers the failure of an attempt which a retry has replaced, the success of a conversion which the
 * payment has left behind, and every object that is touched at the provider without coming to another end.
 */
export const isDuplicate = (taken: Taken | undefined, event: { type: string }): boolean =>
  taken?.event === event.type &&
  figures.every((figure) => agrees(at(taken.eventData, figure), at(event, figure))) &&
  attemptsMadeBy(event) <= attemptsMadeBy(taken.eventData);

/** A figure that was not kept with what was taken, long ago, contradicts nothing. */
const agrees = (kept: unknown, reported: unknown): boolean => kept === undefined || kept === reported;

/** An attempt that was reported as refused, and that exists after all, is a new event. */
const attemptsMadeBy = (event: unknown): number =>
  Number(at(event, 'attempt') ?? 0) - (at(event, 'attempted') === false ? 1 : 0);

export async function isRepetition(
  tx: Db,
  kind: SubjectKind,
  subject: { id: string; userId: string },
  event: { type: string },
): Promise<boolean> {
  const taken = await findLastEventOf(tx, {
    subjectKind: kind,
    subjectId: subject.id,
    userId: subject.userId,
    resource: resourceNamedBy(event),
  });
  return isDuplicate(taken, event);
}

/** `event` carries figures and codes, never a personal value; its type is in the machine's words where it has one. */
export type NewDiscrepancy = {
  kind: DiscrepancyKind;
  event: { type: string; [figure: string]: unknown };
  state: string;
  providerRef: string | null;
  /** What makes it the same as one that was recorded before, beside its handle and its kind. */
  fingerprint: string;
  snapshotAt: Date;
};

/** What a row has refused, as a discrepancy. */
export const discrepancyOf = (
  { event, state, differs }: NotApplied & { event: { type: string } },
  snapshot: { providerRef: string; updatedAt: Date },
): NewDiscrepancy =>
  differs.length > 0
    ? notAsOrdered(event, state, differs, snapshot)
    : contradictedState(event, state, snapshot);

/**
 * A report about something else than was ordered. The same report is the same discrepancy at whichever time it was made: it
 * must not be recorded again because the provider has touched its object since.
 */
export const notAsOrdered = (
  event: { type: string; [figure: string]: unknown },
  state: string,
  differs: Difference[],
  { providerRef, updatedAt }: { providerRef: string; updatedAt: Date },
): NewDiscrepancy => ({
  kind: 'not_as_ordered',
  event: { ...event, differs },
  state,
  providerRef,
  fingerprint: JSON.stringify([
    event.type,
    providerRef,
    ...differs,
    ...figures.map((figure) => at(event, figure) ?? null),
  ]),
  snapshotAt: updatedAt,
});

/** A conversion that took another amount than it should have, and that its payment followed all the same. */
export const debitDiffers = (
  event: { type: string; sourceAmountMinor: number },
  expectedSourceMinor: number,
  state: string,
  { providerRef, updatedAt }: { providerRef: string; updatedAt: Date },
): NewDiscrepancy => ({
  kind: 'debit_differs',
  event: { ...event, expectedSourceMinor },
  state,
  providerRef,
  fingerprint: `${event.type} ${event.sourceAmountMinor}`,
  snapshotAt: updatedAt,
});

/** A conversion that delivered another amount than it should have, and that its payment followed all the same. */
export const deliveryDiffers = (
  event: { type: string; destinationAmountMinor: number },
  expectedDestinationMinor: number,
  state: string,
  { providerRef, updatedAt }: { providerRef: string; updatedAt: Date },
): NewDiscrepancy => ({
  kind: 'delivery_differs',
  event: { ...event, expectedDestinationMinor },
  state,
  providerRef,
  fingerprint: `${event.type} ${event.destinationAmountMinor}`,
  snapshotAt: updatedAt,
});

/** An event that the row's state refuses, as a discrepancy. */
export const contradictedState = (
  event: { type: string },
  state: string,
  { providerRef, updatedAt }: { providerRef: string; updatedAt: Date },
): NewDiscrepancy => ({
  kind: 'contradicted_state',
  event,
  state,
  providerRef,
  fingerprint: `${updatedAt.toISOString()} ${event.type}`,
  snapshotAt: updatedAt,
});

/** A quote that claims to live longer than quotes live: it counts as living for five minutes. */
export const quoteLifetime = (
  { providerRef, lifeMs }: { providerRef: string; lifeMs: number },
  state: string,
  now: Date,
): NewDiscrepancy => ({
  kind: 'quote_lifetime',
  event: { type: 'quoted', lifeMs },
  state,
  providerRef,
  fingerprint: providerRef,
  snapshotAt: now,
});

/** Records a discrepancy once, however often it is found, also when it has been resolved since. */
export async function recordDiscrepancy(
  tx: Db,
  resource: Pick<Entity<'ProviderResource'>, 'userId' | 'subjectKind' | 'subjectId' | 'handle'>,
  { kind, event: { type, ...eventData }, state, providerRef, fingerprint, snapshotAt }: NewDiscrepancy,
  cause: Cause,
  now: Date,
): Promise<void> {
  await insertDiscrepancy(tx, {
    id: newId(),
    userId: resource.userId,
    subjectKind: resource.subjectKind,
    subjectId: resource.subjectId,
    handle: resource.handle,
    kind,
    fingerprint,
    providerRef,
    event: type,
    eventData: JSON.stringify(eventData),
    state,
    snapshotUpdatedAt: snapshotAt,
    causeKind: cause.kind,
    causeId: cause.id,
    occurredAt: now,
  });
}

/** Whether an operator has still to resolve one of these kinds of a payment or withdrawal. */
export async function hasOpenDiscrepancy(
  db: Db,
  subject: { id: string; userId: string },
  kinds: DiscrepancyKind[],
): Promise<boolean> {
  const open = await findOpenDiscrepancy(db, { subjectId: subject.id, userId: subject.userId, kinds });
  return open !== undefined;
}

/** `leg1` of `leg1.completed`, `off-ramp` of `off-ramp.failed`: a row has one resource of each name. */
export const resourceNamedBy = ({ type }: { type: string }): string => type.split('.', 1)[0] ?? type;

const at = (values: unknown, key: string): unknown =>
  typeof values === 'object' && values !== null ? (values as Record<string, unknown>)[key] : undefined;
