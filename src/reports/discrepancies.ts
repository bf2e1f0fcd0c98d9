// Decides what a refused event is: a repetition of an event that the row has applied before, or a discrepancy. A discrepancy is
// recorded for operators and never changes the row. An applied event and a snapshot may also show discrepancies.

import type { PayoutRefundEvent } from '../../machines/payout-refund.machine.ts';
import type { PixPaymentEvent } from '../../machines/pix-payment.machine.ts';
import { newId } from '../domain/ids.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import type { discrepancyKinds } from '../tables/discrepancies/entity.ts';
import {
  findDiscrepancyResolution,
  findOpenDiscrepancy,
  insertDiscrepancy,
} from '../tables/discrepancies/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import type { SubjectKind } from '../tables/subject.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { findLastEventOf } from '../tables/transitions/statements.ts';
import type { Difference } from './as-expected.ts';
import { figuresOf } from './recency.ts';

export type NotApplied = {
  /** The machine event. Null if the provider's event has no meaning for the machine. */
  event: { type: string } | null;
  state: string;
  /** The properties in which the report differs from what we requested. Empty if only the state refuses the event. */
  differs: Difference[];
};

export type DiscrepancyKind = (typeof discrepancyKinds)[number];

type Taken = { event: string; eventData: unknown };

/** The properties that two reports of the same outcome must agree in. */
const figures = ['sourceAmountMinor', 'destinationAmountMinor', 'amountMinor', 'currency', 'level'];

/**
 * Whether a refused event repeats the last event that the row took from the same resource, with the same figures. Such an event
 * is harmless. Examples are the failure of an attempt that a retry has replaced, the success of a conversion that the payment has
 * already moved past, and any object that the provider updates without changing its outcome.
 */
export const isDuplicate = (taken: Taken | undefined, event: { type: string }): boolean =>
  taken?.event === event.type &&
  figures.every((figure) => agrees(at(taken.eventData, figure), at(event, figure))) &&
  attemptsMadeBy(event) <= attemptsMadeBy(taken.eventData);

/** Returns whether two figures agree. A figure that older versions did not store contradicts nothing. */
const agrees = (kept: unknown, reported: unknown): boolean => kept === undefined || kept === reported;

/**
 * The number of attempts that exist at the provider according to an event, which is about the first one unless it says more. A
 * refused attempt does not count, so a later report that the attempt exists is not a repetition.
 */
const attemptsMadeBy = (event: unknown): number =>
  Number(at(event, 'attempt') ?? 1) - (at(event, 'attempted') === false ? 1 : 0);

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

/** A discrepancy to record. `event` has figures and codes, never a personal value. Its type is the machine event, if there is one. */
export type NewDiscrepancy = {
  kind: DiscrepancyKind;
  event: { type: string; [figure: string]: unknown };
  state: string;
  providerRef: string | null;
  /** Identifies the discrepancy together with its handle and kind: an equal one is not recorded again. */
  fingerprint: string;
  snapshotAt: Date;
};

/** The discrepancy of an event that a row has refused. */
export const discrepancyOf = (
  { event, state, differs }: NotApplied & { event: { type: string } },
  snapshot: { providerRef: string; updatedAt: Date },
): NewDiscrepancy =>
  differs.length > 0
    ? notAsOrdered(event, state, differs, snapshot)
    : contradictedState(event, state, snapshot);

/**
 * The discrepancy of a report that differs from what we requested. The fingerprint has no time, so that the same report is not
 * recorded again after the provider has updated its object.
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

/** The discrepancy of a conversion that debited an unexpected amount although its payment continues. */
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

/** The discrepancy of a conversion that delivered an unexpected amount although its payment continues. */
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

/** The discrepancy of an event that the row's state refuses. */
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

/** The discrepancy of a quote that claims to be valid for more than five minutes. It counts as valid for five minutes. */
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

/** Records a discrepancy, unless the same one was recorded before. A resolved discrepancy is not recorded again either. */
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

export async function hasOpenDiscrepancy(
  db: Db,
  subject: { id: string; userId: string },
  kinds: DiscrepancyKind[],
): Promise<boolean> {
  const open = await findOpenDiscrepancy(db, { subjectId: subject.id, userId: subject.userId, kinds });
  return open !== undefined;
}

/** The resource that an event names: `leg1` for `leg1.completed`, `off-ramp` for `off-ramp.failed`. A row has one of each name. */
export const resourceNamedBy = ({ type }: { type: string }): string => type.split('.', 1)[0] ?? type;

const at = (values: unknown, key: string): unknown =>
  typeof values === 'object' && values !== null ? (values as Record<string, unknown>)[key] : undefined;

/**
 * Returns the discrepancies of the conversion of a partial return: it took another amount than what came back, or delivered another one
 * than its quote. A conversion that is not the present one has another quote, which is not known.
 */
export function partialDiscrepancies(
  { amountBrlMinor, quotedHomeMinor, state }: Entity<'PayoutRefund'>,
  event: PayoutRefundEvent,
  snapshot: { providerRef: string; updatedAt: Date },
): NewDiscrepancy[] {
  if (event.type !== 'partial.completed') return [];
  const isAsQuoted =
    state !== 'converting' || quotedHomeMinor === null || event.destinationAmountMinor === quotedHomeMinor;
  return [
    ...(event.sourceAmountMinor === amountBrlMinor
      ? []
      : [debitDiffers(event, amountBrlMinor, state, snapshot)]),
    ...(isAsQuoted ? [] : [deliveryDiffers(event, quotedHomeMinor, state, snapshot)]),
  ];
}

/** Returns the discrepancies of a completed conversion. `row` is the payment as it was before the event. */
export function conversionDiscrepancies(
  row: Entity<'PixPayment'>,
  event: PixPaymentEvent,
  snapshot: { providerRef: string; updatedAt: Date },
): NewDiscrepancy[] {
  if (!('destinationAmountMinor' in event)) return [];
  const debitMinor = expectedDebitMinor(row, event);
  const deliveryMinor = expectedDeliveryMinor(row, event);
  return [
    ...(debitMinor === null ? [] : [debitDiffers(event, debitMinor, row.state, snapshot)]),
    ...(deliveryMinor === null ? [] : [deliveryDiffers(event, deliveryMinor, row.state, snapshot)]),
  ];
}

/**
 * Checks the debit of a completed conversion whose payment continues.
 * @returns the expected debit in minor units of the source currency; null if the debit is as expected. Debits above the quote to
 *   the user are excluded: those payments go to `manual_review`.
 */
function expectedDebitMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  switch (event.type) {
    case 'direct.completed':
    case 'leg1.completed':
      return event.sourceAmountMinor < row.sourceAmountMinor ? row.sourceAmountMinor : null;
    case 'leg2.completed':
    case 'reverse.completed': {
      const deliveredMinor = row.usdcDeliveredMinor ?? 0;
      return event.sourceAmountMinor > deliveredMinor ? deliveredMinor : null;
    }
    case 'return.completed':
      return event.sourceAmountMinor > row.amountBrlMinor ? row.amountBrlMinor : null;
    default:
      return null;
  }
}

/**
 * Checks the delivery of a completed leg 1. The payment continues in any case: its price is fixed, and leg 2 takes what it needs.
 * @returns the quoted delivery in minor units of USDC if leg 1 delivered more or less; otherwise null.
 */
function expectedDeliveryMinor(row: Entity<'PixPayment'>, event: PixPaymentEvent): number | null {
  if (event.type !== 'leg1.completed') return null;
  const quotedMinor = row.usdcQuotedMinor;
  return event.destinationAmountMinor === quotedMinor ? null : quotedMinor;
}

/** The discrepancy of a snapshot that shows something new under an earlier time than the last applied snapshot. */
export const steppedBack = (snapshot: Snapshot, state: string): NewDiscrepancy => ({
  kind: 'clock_stepped_back',
  event: describeSnapshot(snapshot, 'clock_stepped_back'),
  state,
  providerRef: snapshot.providerRef,
  fingerprint: `${snapshot.updatedAt.toISOString()} ${snapshot.status}`,
  snapshotAt: snapshot.updatedAt,
});

/** Describes a snapshot by its figures. The type is the provider event if the snapshot is final, otherwise the discrepancy's kind. */
export const describeSnapshot = (snapshot: Snapshot, otherwise: DiscrepancyKind) => ({
  ...figuresOf(snapshot),
  type: eventOf(snapshot)?.kind ?? otherwise,
});

/** Returns whether the discrepancy was recorded before, and an operator or a job has resolved it. */
export async function isResolved(
  tx: Db,
  { handle, userId }: { handle: string; userId: string },
  { kind, fingerprint }: NewDiscrepancy,
): Promise<boolean> {
  const found = await findDiscrepancyResolution(tx, { handle, userId, kind, fingerprint });
  return found !== undefined && found.resolvedAt !== null;
}
