// What we know of one thing of ours at the provider.
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';

/** What was decided when it was ordered, and never changes. */
export type Ordered = Pick<
  Entity<'ProviderResource'>,
  'handle' | 'userId' | 'kind' | 'subjectKind' | 'subjectId' | 'leg'
>;

/** For the rest of the transaction; a subject that is to be locked, too, is locked before. */
export const lockResource = (
  tx: Db,
  { handle, userId }: Pick<Entity<'ProviderResource'>, 'handle' | 'userId'>,
): Promise<Entity<'ProviderResource'>> =>
  byEntity(tx)
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', handle)
    .where('userId', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
