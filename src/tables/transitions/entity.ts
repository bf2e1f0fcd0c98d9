// The history: every transition of a lifecycle, with its cause. Append-only.
import { defineEntity } from '@mikro-orm/core';
import type { StateOf } from '../../../machines/machines.ts';
import { enumOf, moment } from '../columns.ts';
import { causes, exported, ours } from '../export-marks.ts';
import { byUser } from '../place.ts';

const subjectKinds = [
  'kyc',
  'provider_account',
  'pix_payment',
  'withdraw',
  'contestation',
  'payout_refund',
] as const;
export const subjectKind = () => enumOf('subject_kind', subjectKinds);

const causeKinds = ['request', 'webhook', 'job', 'operator'] as const;
export const causeKind = () => enumOf('cause_kind', causeKinds);

export const Transition = defineEntity({
  name: 'Transition',
  tableName: 'transitions',
  place: byUser,
  indexes: [
    {
      // Support searches by request id, which every response carries.
      name: 'transitions_request',
      expression: `create index transitions_request on transitions (cause_id) where cause_kind = 'request'`,
    },
  ],
  checks: [
    {
      // The migrations list the states of each kind in a function. PostgreSQL plans a check again for each statement, and planning
      // this check takes a fifteenth of the time that the lists in it took. `from_state` is null in a first transition.
      name: 'transitions_states_check',
      expression: 'is_state_of(subject_kind, from_state) and is_state_of(subject_kind, to_state)',
    },
  ],
  properties: {
    subjectKind: subjectKind().primary(),
    subjectId: exported.uuid().primary(),
    seq: exported.integer().primary(),
    userId: exported.uuid().primary(),
    fromState: exported.string().length(40).$type<StateOf>().nullable(),
    toState: exported.string().length(40).$type<StateOf>(),
    event: exported.string().length(60),
    /** The event's figures and reason: amounts, attempt numbers, codes. Never a personal value. */
    eventData: exported.json<Record<string, unknown>>(),
    causeKind: causeKind(),
    /** The id of the request, the webhook event or the effect, or the operator's name. */
    causeId: causes.text(),
    occurredAt: moment(),
    /**
     * When the row was written, by the database's clock. `occurredAt` is by the clock of the process. Null in rows of versions up to 1.1.0.
     */
    recordedAt: ours.datetime(3).nullable().defaultRaw('now()'),
  },
});

/** Why a transition happened: the request, webhook event, job or operator that caused it. */
export type Cause = { kind: (typeof causeKinds)[number]; id: string };
