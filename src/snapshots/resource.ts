// What we know of one thing of ours at the provider.
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { lockResourceRow } from '../sql/provider-resources.ts';

/** What was decided when it was ordered, and never changes. */
export type Ordered = Pick<
  Entity<'ProviderResource'>,
  'handle' | 'userId' | 'kind' | 'subjectKind' | 'subjectId' | 'leg'
>;

/** For the rest of the transaction; a subject that is to be locked, too, is locked before. @throws when it is gone. */
export async function lockResource(
  tx: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<Entity<'ProviderResource'>> {
  const resource = await lockResourceRow(tx, { handle, userId });
  if (!resource) throw new Error(`nothing was ordered under the handle ${handle}`);
  return resource;
}
