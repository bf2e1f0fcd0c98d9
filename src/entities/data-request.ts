// A data subject's request, handled by support within 30 days.
import { defineEntity, p } from '@mikro-orm/core';
import { moment, sealed } from './columns.ts';
import { owner } from './owner.ts';

export const DataRequest = defineEntity({
  name: 'DataRequest',
  tableName: 'data_requests',
  indexes: [
    {
      name: 'data_requests_open',
      expression: "create index data_requests_open on data_requests (due_at) where status = 'open'",
    },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => owner().primary().index(),
    type: p.enum(['access', 'rectification', 'portability', 'restriction', 'objection', 'erasure'] as const),
    status: p.enum(['open', 'closed'] as const).default('open'),
    notesSealed: sealed().nullable(),
    receivedAt: moment(),
    dueAt: moment(),
    closedAt: moment().nullable(),
  },
});
