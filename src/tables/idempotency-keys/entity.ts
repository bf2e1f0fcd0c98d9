// A client's Idempotency-Key, and the resource that its request created. Only keys of successful requests are stored.
import { defineEntity } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { exported, leftOut } from '../export-marks.ts';
import { byUser } from '../place.ts';

export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  place: byUser,
  properties: {
    userId: exported.uuid().primary(),
    operation: exported.string().length(40).primary(),
    key: exported.string().length(255).primary(),
    /**
     * The hash of the request's path and body: the same key with another request is refused. It is HMAC-SHA-256 under a key of the
     * user, after a byte that names this method. Rows of earlier versions have 32 bytes of plain SHA-256 and are still recognised.
     */
    requestHash: leftOut('The hash of a request whose content is in the other sections.').blob(),
    resourceId: exported.uuid(),
    createdAt: moment().index('idempotency_keys_created_at'),
  },
});
