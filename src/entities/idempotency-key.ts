// A client's Idempotency-Key and what it was answered with. Only successes are remembered.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    userId: p.uuid().primary(),
    operation: p.string().length(40).primary(),
    key: p.string().length(255).primary(),
    /** SHA-256 of the request's path and body: the same key with another request is refused. */
    requestHash: p.blob(),
    resourceId: p.uuid(),
    createdAt: moment(),
  },
});
