// News of the provider that a row's state does not allow: recorded for operators, never forced upon the row.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';
import { causeKinds, subjectKinds } from './transition.ts';

export const Contradiction = defineEntity({
  name: 'Contradiction',
  tableName: 'contradictions',
  // The same news comes again with every check and every night: it is one contradiction.
  uniques: [{ properties: ['handle', 'snapshotAt'] }],
  indexes: [
    {
      name: 'contradictions_open',
      expression: 'create index contradictions_open on contradictions (at) where resolved_at is null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    subjectKind: p.enum(subjectKinds),
    subjectId: p.uuid().index(),
    handle: p.uuid(),
    /** The provider's event, in the service's words. */
    event: p.string().length(60),
    /** What the event carried: figures and codes, never a personal value. */
    eventData: p.json<Record<string, unknown>>(),
    /** The state that did not allow it. */
    state: p.string().length(40),
    /** `updated_at` of the resource when it said so. */
    snapshotAt: moment(),
    causeKind: p.enum(causeKinds),
    causeId: p.text(),
    at: moment(),
    resolvedAt: moment().nullable(),
    /** What an operator found out about it. */
    resolution: p.text().nullable(),
  },
});
