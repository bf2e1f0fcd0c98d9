// A data key, wrapped by the master key that the row names. Deleting the row makes everything that the key sealed unreadable.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

export const DataKey = defineEntity({
  name: 'DataKey',
  tableName: 'data_keys',
  place: { column: 'scope', group: 'keys' },
  // Rotation scans the keys that a former master key still wraps.
  indexes: [{ name: 'data_keys_master_key', properties: ['masterKeyId', 'scope'] }],
  properties: {
    /** A user's id, or a month (`webhooks-2026-11`) for payloads that arrive before their user is known. */
    scope: p.string().length(64).primary(),
    masterKeyId: p.string().length(64),
    wrappedKey: p.blob(),
    createdAt: moment(),
  },
});
