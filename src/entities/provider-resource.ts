// Every object of ours that exists, or may exist, at the provider, by the handle chosen before the request.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, lease, moment, sealed, sealedAt } from './columns.ts';
import { subjectKind } from './transition.ts';

const resourceKinds = ['owner', 'account', 'transfer', 'payout'] as const;

const snapshotStatuses = ['pending', 'provisioning', 'active', 'completed', 'failed', 'refunded'] as const;

export const ProviderResource = defineEntity({
  name: 'ProviderResource',
  tableName: 'provider_resources',
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
        'create index provider_resources_leased on provider_resources (leased_by) where leased_by is not null',
    },
    {
      name: 'provider_resources_failing',
      expression:
        'create index provider_resources_failing on provider_resources (handle) where next_poll_at is not null and poll_failures >= 5',
    },
  ],
  properties: {
    handle: p.uuid().primary(),
    userId: p.uuid().primary(),
    kind: enumOf('resource_kind', resourceKinds),
    subjectKind: subjectKind(),
    subjectId: p.uuid(),
    leg: enumOf('conversion_leg', ['direct', 'leg1', 'leg2', 'reverse']).nullable(),
    /** The provider's id; null until an answer brought it, so null means "may not exist yet". */
    providerRef: p.uuid().nullable(),
    /**
     * The user's balance version once the provider was known to have taken the money: a balance read at an earlier
     * version may still include it. Null for what takes nothing from the home account.
     */
    debitedBalanceVersion: p.integer().nullable(),
    /** `updated_at` of the last snapshot applied; lifecycle/ordering.ts decides which one may follow it. */
    snapshotUpdatedAt: moment().nullable(),
    /** That snapshot's content; null before the first one, and where it was applied before this was kept. */
    snapshotStatus: enumOf('snapshot_status', snapshotStatuses).nullable(),
    snapshotAttempt: p.integer().nullable(),
    /** Its figures and codes, never a personal value: two snapshots that agree in them are duplicates. */
    snapshotContent: p.text().nullable(),
    /** The newest `updated_at` that a callback announced and no read has shown yet: a reason to go on polling, no fact. */
    announcedAt: moment().nullable(),
    /** The provider's explanation of a failure, for operators; it may name a person. */
    reasonSealed: sealed().nullable(),
    reasonSealedAt: sealedAt().nullable(),
    pollCount: p.integer().default(0),
    /** How many polls in a row failed: they were not answered, or their answer could not be applied. */
    pollFailures: p.integer().default(0),
    /** When it is polled if no callback arrives; null when no further change is expected. */
    nextPollAt: moment().nullable(),
    ...lease(),
    /** The webhook secret that its callbacks were last moved to; null while they use that of its creation. */
    callbackSecretId: p.uuid().nullable(),
    createdAt: moment(),
  },
});
