// A disagreement between the provider and our records: kept for operators, never forced upon a row.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from './columns.ts';
import { causeKind, subjectKind } from './transition.ts';

export const discrepancyKinds = [
  /** An event that the row's state does not allow. */
  'contradicted_state',
  /** Another amount, currency or recipient than was ordered: the event is held back. */
  'not_as_ordered',
  /** A conversion took another amount than was quoted, and was applied nevertheless. */
  'debit_differs',
  /** The first of two conversions delivered another amount than was quoted, and was applied nevertheless. */
  'delivery_differs',
  /** A second object of the provider under one of our handles. */
  'twin',
  /** An object that the provider once named to us and no longer knows. */
  'vanished',
  /** The time of an object at the provider went backwards. */
  'clock_stepped_back',
  /** A quote that claims to live longer than quotes live. */
  'quote_lifetime',
  /** A payout or a conversion from an account of a user that no row here ordered. */
  'not_ordered',
] as const;

export const Discrepancy = defineEntity({
  name: 'Discrepancy',
  tableName: 'discrepancies',
  // The same one is seen again with every poll and every night: it is one discrepancy, also after it was resolved.
  uniques: [{ properties: ['handle', 'kind', 'fingerprint', 'userId'] }],
  indexes: [
    {
      name: 'discrepancies_open',
      expression: 'create index discrepancies_open on discrepancies (occurred_at) where resolved_at is null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid().primary(),
    subjectKind: subjectKind(),
    subjectId: p.uuid().index(),
    handle: p.uuid(),
    kind: enumOf('discrepancy_kind', discrepancyKinds),
    /** Distinguishes discrepancies of one handle and kind. */
    fingerprint: p.text(),
    /** The provider's id of the object that it is about; null where that was not kept. */
    providerRef: p.uuid().nullable(),
    /** The event, by the machine's name, or the kind where there was no event. */
    event: p.string().length(60),
    /** The event's payload: figures and codes, never a personal value. */
    eventData: p.json<Record<string, unknown>>(),
    /** The state of the row when it was recorded. */
    state: p.string().length(40),
    /** The resource's `updated_at` in that snapshot. */
    snapshotUpdatedAt: moment(),
    causeKind: causeKind(),
    causeId: p.text(),
    occurredAt: moment(),
    resolvedAt: moment().nullable(),
    /** What an operator found out about it. */
    resolution: p.text().nullable(),
  },
});
