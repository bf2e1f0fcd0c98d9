// A disagreement between the provider and our records. It is stored for operators and never changes a row by itself.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, moment } from '../columns.ts';
import { causes, exported, ours } from '../export-marks.ts';
import { byUser } from '../place.ts';
import { causeKind, subjectKind } from '../transitions/entity.ts';

export const discrepancyKinds = [
  /** The provider reported an event that the row's state does not allow. */
  'contradicted_state',
  /** An object has another amount, currency or recipient than was requested. The event is not applied. */
  'not_as_ordered',
  /** A conversion debited another amount than was quoted. The event was still applied. */
  'debit_differs',
  /** The first of two conversions delivered another amount than was quoted. The event was still applied. */
  'delivery_differs',
  /** The provider has a second object under one of our handles. */
  'twin',
  /** The provider no longer knows an object that it once reported to us. */
  'vanished',
  /** The timestamp of an object at the provider moved back. */
  'clock_stepped_back',
  /** A quote claims a longer life than quotes have. */
  'quote_lifetime',
  /** A payout or conversion from a user's account has no row here. */
  'not_ordered',
] as const;

export const Discrepancy = defineEntity({
  name: 'Discrepancy',
  tableName: 'discrepancies',
  place: byUser,
  // Every poll and every night may find the same discrepancy again. It stays one row, even after it was resolved.
  uniques: [{ properties: ['handle', 'kind', 'fingerprint', 'userId'] }],
  indexes: [
    {
      name: 'discrepancies_open',
      expression: 'create index discrepancies_open on discrepancies (occurred_at) where resolved_at is null',
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: exported.uuid().primary(),
    subjectKind: subjectKind(),
    subjectId: exported.uuid().index(),
    handle: exported.uuid(),
    kind: enumOf('discrepancy_kind', discrepancyKinds),
    /** Distinguishes discrepancies of the same handle and kind. */
    fingerprint: ours.text(),
    /** The provider's id of the object that the discrepancy is about; null if it was not stored. */
    providerRef: exported.uuid().nullable(),
    /** The event, by the machine's name, or the kind if there was no event. */
    event: exported.string().length(60),
    /** The event's payload: figures and codes, never a personal value. */
    eventData: exported.json<Record<string, unknown>>(),
    /** The state of the row when the discrepancy was recorded. */
    state: exported.string().length(40),
    /** The resource's `updated_at` in the snapshot with the discrepancy. */
    snapshotUpdatedAt: moment(),
    causeKind: causeKind(),
    causeId: causes.text(),
    occurredAt: moment(),
    resolvedAt: moment().nullable(),
    resolution: exported.text().nullable(),
  },
});
