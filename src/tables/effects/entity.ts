// The outbox: the calls that committed transitions emitted, and their progress.
import { defineEntity } from '@mikro-orm/core';
import { effectTypes } from '../../../machines/effects.ts';
import { enumOf, moment, traceparent, work } from '../columns.ts';
import { exported, ours } from '../export-marks.ts';
import { byUser } from '../place.ts';

const effectSubjectKinds = [
  'kyc',
  'provider_account',
  'pix_payment',
  'withdraw',
  'bank_details',
  'contestation',
  'payout_refund',
] as const;
/** Effects that no machine emits. */
const plainEffectTypes = ['validateBankDetails'] as const;
export type PlainEffectType = (typeof plainEffectTypes)[number];

const effectStatuses = ['queued', 'done', 'superseded', 'exhausted'] as const;

export const Effect = defineEntity({
  name: 'Effect',
  tableName: 'effects',
  place: byUser,
  indexes: [
    { name: 'effects_subject', properties: ['subjectId', 'seq'] },
    {
      name: 'effects_unfinished',
      expression:
        "create index effects_unfinished on effects (created_at) where status in ('queued', 'exhausted')",
    },
    {
      // A claim reads the oldest due rows.
      name: 'effects_due_at',
      expression:
        'create index effects_due_at on effects (due_at, id) where leased_by is null and due_at is not null',
    },
    {
      // The condition of this index names the status and that of effects_due_at does not, so exactly one of
      // the two indexes fits each claim.
      name: 'effects_urgent_until',
      expression:
        "create index effects_urgent_until on effects (urgent_until, id) where leased_by is null and status = 'queued' and urgent_until is not null",
    },
    {
      // Recent leases are read without the entries of former ones, which PostgreSQL keeps while an old snapshot is open.
      name: 'effects_leased',
      expression:
        'create index effects_leased on effects (leased_by, due_at) where leased_by is not null and due_at is not null',
    },
    {
      name: 'effects_failing',
      expression: 'create index effects_failing on effects (id) where due_at is not null and attempts >= 5',
    },
  ],
  checks: [{ name: 'effects_due_check', expression: "(status = 'queued') = (due_at is not null)" }],
  properties: {
    id: exported.uuid().primary(),
    userId: exported.uuid().primary(),
    subjectKind: enumOf('effect_subject_kind', effectSubjectKinds),
    subjectId: exported.uuid(),
    /** The `seq` of the transition that emitted the effect. If the subject has advanced since, the effect is superseded. */
    seq: exported.integer(),
    type: enumOf('effect_type', [...effectTypes, ...plainEffectTypes]),
    params: exported.json<Record<string, unknown>>(),
    status: enumOf('effect_status', effectStatuses).default('queued'),
    attempts: exported.integer().default(0),
    /** The last error, for operators: codes and statuses, never a personal value. */
    lastError: exported.text().nullable(),
    ...work(),
    /**
     * The end of the effect's quote, by the database's clock. Until then the effect runs before other
     * work. Null if it is not urgent.
     */
    urgentUntil: moment().nullable(),
    /** When a request last got no answer. For a while afterwards the provider may still act on it. */
    lastUnknownAt: moment().nullable(),
    /** The code of a pending refusal. It is not definitive, because the provider may still act on an earlier request. The column and users' data exports have this name. */
    heldRefusal: exported.string().length(60).nullable(),
    /** How long operators have paused the effect, in milliseconds. This time does not count towards any limit. */
    pausedMs: ours.bigint('number').defaultRaw('0'),
    traceparent: traceparent(),
    createdAt: moment(),
    finishedAt: moment().nullable(),
  },
});
