// The history: every change of a lifecycle's state, with what caused it. Append-only.
import { defineEntity, p } from '@mikro-orm/core';
import type { StateOf } from '../../machines/machines.ts';
import { states } from '../../machines/states.ts';
import { isAmong, moment } from './columns.ts';

export const subjectKinds = ['kyc', 'provider_account', 'pix_payment', 'withdraw'] as const;
export const causeKinds = ['request', 'webhook', 'job', 'operator'] as const;

export const Transition = defineEntity({
  name: 'Transition',
  tableName: 'transitions',
  indexes: [
    {
      // Support searches by it: every answer carries its request's id.
      name: 'transitions_request',
      expression: `create index transitions_request on transitions (cause_id) where cause_kind = 'request'`,
    },
  ],
  checks: [{ name: 'transitions_states_check', expression: subjectKinds.map(statesAreOf).join(' or ') }],
  properties: {
    subjectKind: p.enum(subjectKinds).primary(),
    subjectId: p.uuid().primary(),
    seq: p.integer().primary(),
    userId: p.uuid().primary(),
    fromState: p.string().length(40).$type<StateOf>().nullable(),
    toState: p.string().length(40).$type<StateOf>(),
    event: p.string().length(60),
    /** The event's figures and reason: amounts, attempt numbers, codes. Never a personal value. */
    eventData: p.json<Record<string, unknown>>(),
    causeKind: p.enum(causeKinds),
    /** The request id, the webhook event's id, the effect's id or the operator's name. */
    causeId: p.text(),
    occurredAt: moment(),
  },
});

function statesAreOf(kind: (typeof subjectKinds)[number]): string {
  const [isFrom, isTo] = ['from_state', 'to_state'].map((column) => isAmong(column, states[kind]));
  return `subject_kind = '${kind}' and ${isTo} and (from_state is null or ${isFrom})`;
}
