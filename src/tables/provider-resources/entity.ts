// Every object that exists, or may exist, at the provider for us, by the handle chosen before the request.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, lease, moment, sealed, sealedAt, traceparent } from '../columns.ts';
import { exported, ours } from '../export-marks.ts';
import { byUser } from '../place.ts';
import { subjectKind } from '../transitions/entity.ts';

const resourceKinds = ['owner', 'account', 'transfer', 'payout', 'contestation'] as const;

const snapshotStatuses = [
  'pending',
  'provisioning',
  'active',
  'completed',
  'failed',
  'refunded',
  'open',
  'accepted',
  'rejected',
] as const;

export const ProviderResource = defineEntity({
  name: 'ProviderResource',
  tableName: 'provider_resources',
  place: byUser,
  uniques: [{ properties: ['providerRef', 'userId'] }],
  indexes: [
    { name: 'provider_resources_subject', properties: ['subjectId'] },
    {
      name: 'provider_resources_unplaced',
      expression:
        'create index provider_resources_unplaced on provider_resources (user_id) where provider_ref is null',
    },
    {
      name: 'provider_resources_debited',
      expression:
        'create index provider_resources_debited on provider_resources (user_id, debited_balance_version) where debited_balance_version is not null',
    },
    {
      name: 'provider_resources_due',
      expression:
        'create index provider_resources_due on provider_resources (next_poll_at, handle) where leased_by is null and next_poll_at is not null',
    },
    {
      name: 'provider_resources_leased',
      expression:
        'create index provider_resources_leased on provider_resources (leased_by, next_poll_at) where leased_by is not null',
    },
    {
      name: 'provider_resources_failing',
      expression:
        'create index provider_resources_failing on provider_resources (handle) where next_poll_at is not null and poll_failures >= 5',
    },
  ],
  properties: {
    handle: exported.uuid().primary(),
    userId: exported.uuid().primary(),
    kind: enumOf('resource_kind', resourceKinds),
    subjectKind: subjectKind(),
    subjectId: exported.uuid(),
    leg: enumOf('conversion_leg', ['direct', 'leg1', 'leg2', 'reverse', 'return', 'partial']).nullable(),
    /** The provider's id. Null until a reply or callback brings it, so null means that the object may not exist yet. */
    providerRef: exported.uuid().nullable(),
    /**
     * The user's balance version when the provider was known to have debited the money. A balance read at an earlier version may
     * still include the money. Null for objects that do not debit the home account.
     */
    debitedBalanceVersion: ours.integer().nullable(),
    /** `updated_at` of the last applied snapshot. reports/recency.ts decides which snapshot may follow it. */
    snapshotUpdatedAt: moment().nullable(),
    /** The status in the last applied snapshot. Null before the first one, and if it was applied before this column existed. */
    snapshotStatus: enumOf('snapshot_status', snapshotStatuses).nullable(),
    snapshotAttempt: exported.integer().nullable(),
    /**
     * Figures and codes of the last applied snapshot, never a personal value. Two snapshots in which they are equal are duplicates.
     */
    snapshotContent: exported.text().nullable(),
    /**
     * The newest `updated_at` that a callback has announced and no fetch has returned yet. It is only a reason to continue polling.
     */
    announcedAt: moment().nullable(),
    /** The provider's explanation of a failure, for operators. It may name a person. */
    reasonSealed: sealed({ row: 'handle', version: 'reasonSealedAt' }).nullable(),
    reasonSealedAt: sealedAt().nullable(),
    pollCount: ours.integer().default(0),
    /** How many polls in a row have failed: the provider did not reply, or its reply could not be applied. */
    pollFailures: ours.integer().default(0),
    /** When the resource is polled if no callback arrives. Null if no further change is expected. */
    nextPollAt: ours.datetime(3).nullable(),
    ...lease(),
    /** The webhook secret to which its callbacks were last moved. Null while they use the secret of its creation. */
    callbackSecretId: ours.uuid().nullable(),
    traceparent: traceparent(),
    createdAt: moment(),
  },
});
