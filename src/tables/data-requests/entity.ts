// A data subject's request. Support answers it within 30 days.
import { defineEntity } from '@mikro-orm/core';
import { enumOf, moment, sealed } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

const types = ['access', 'rectification', 'portability', 'restriction', 'objection', 'erasure'] as const;

export const DataRequest = defineEntity({
  name: 'DataRequest',
  tableName: 'data_requests',
  place: byUser,
  indexes: [
    {
      name: 'data_requests_open',
      expression: "create index data_requests_open on data_requests (due_at) where status = 'open'",
    },
  ],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary().index(),
    type: enumOf('data_request_type', types),
    status: enumOf('data_request_status', ['open', 'closed']).default('open'),
    notesSealed: sealed().nullable(),
    receivedAt: moment(),
    dueAt: moment(),
    closedAt: moment().nullable(),
  },
});
