// One of our resources at the provider: its identity, and the lock of its row.
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { lockResourceRow } from '../platform/sql/provider-resources.ts';

/** The identity of a resource, which is fixed before it is requested and never changes. */
export type ResourceIdentity = Pick<
  Entity<'ProviderResource'>,
  'handle' | 'userId' | 'kind' | 'subjectKind' | 'subjectId' | 'leg'
>;

/**
 * Locks a resource's row for the rest of the transaction. A caller that also locks the subject locks it first, to prevent deadlocks.
 * @throws Error if the row is gone.
 */
export async function lockResource(
  tx: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<Entity<'ProviderResource'>> {
  const resource = await lockResourceRow(tx, { handle, userId });
  if (!resource) throw new Error(`no resource has the handle ${handle}`);
  return resource;
}
