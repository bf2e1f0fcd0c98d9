// What must be answerable later: who looked at, or tried to reach, what.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  properties: {
    id: p.uuid().primary(),
    at: moment(),
    action: p.string().length(60),
    userId: p.uuid().nullable(),
    requestId: p.text().nullable(),
    details: p.json<Record<string, unknown>>(),
  },
});
