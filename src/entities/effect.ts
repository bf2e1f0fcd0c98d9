// The outbox: calls that committed transitions ordered, and their progress.
import { defineEntity, p } from '@mikro-orm/core';
import type { EffectType } from '../../machines/effects.ts';
import { enumOf, moment, work } from './columns.ts';

const effectSubjectKinds = ['kyc', 'provider_account', 'pix_payment', 'withdraw', 'bank_details'] as const;
/** Effects that no machine orders. */
export type PlainEffectType = 'validateBankDetails';

/** An object, so that a kind which a machine orders and which is missing here does not compile. */
const types: Record<EffectType | PlainEffectType, true> = {
  startConversion: true,
  startPayout: true,
  startWithdrawPayout: true,
  provisionAccounts: true,
  openAccount: true,
  validateBankDetails: true,
};

const effectStatuses = ['queued', 'done', 'superseded', 'exhausted'] as const;

export const Effect = defineEntity({
  name: 'Effect',
  tableName: 'effects',
  indexes: [
    { name: 'effects_subject', properties: ['subjectId', 'seq'] },
    {
      name: 'effects_unfinished',
      expression:
        "create index effects_unfinished on effects (created_at) where status in ('queued', 'exhausted')",
    },
    {
      // A claim goes from user to user: it reads one entry of each, however many rows they have.
      name: 'effects_due',
      expression:
        'create index effects_due on effects (user_id, due_at) where leased_by is null and due_at is not null',
    },
    {
      // Its condition names the status, and that of effects_due does not: so each claim has one index that fits.
      name: 'effects_urgent',
      expression:
        "create index effects_urgent on effects (user_id, urgent_until) where leased_by is null and status = 'queued' and urgent_until is not null",
    },
    {
      name: 'effects_leased',
      expression:
        'create index effects_leased on effects (leased_by) where leased_by is not null and due_at is not null',
    },
    {
      name: 'effects_failing',
      expression: 'create index effects_failing on effects (id) where due_at is not null and attempts >= 5',
    },
  ],
  checks: [{ name: 'effects_due_check', expression: "(status = 'queued') = (due_at is not null)" }],
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid().primary(),
    subjectKind: enumOf('effect_subject_kind', effectSubjectKinds),
    subjectId: p.uuid(),
    /** The transition that ordered it; when the subject has moved on, the effect is superseded. */
    seq: p.integer(),
    type: enumOf('effect_type', Object.keys(types) as (keyof typeof types)[]),
    params: p.json<Record<string, unknown>>(),
    status: enumOf('effect_status', effectStatuses).default('queued'),
    attempts: p.integer().default(0),
    /** The last error, for operators: codes and statuses, never a personal value. */
    lastError: p.text().nullable(),
    ...work(),
    /** The end of its quote, by the database's clock: until then it goes before other work. Null where it has time. */
    urgentUntil: moment().nullable(),
    /** When a request last went unanswered: for a while after it, it may still be carried out. */
    lastUnknownAt: moment().nullable(),
    /** A refusal that is not yet definitive, because an earlier request may still be carried out; a code. */
    heldRefusal: p.string().length(60).nullable(),
    /** How long operators have paused it, in milliseconds: that time counts towards no limit. */
    pausedMs: p.bigint('number').defaultRaw('0'),
    createdAt: moment(),
    finishedAt: moment().nullable(),
  },
});
