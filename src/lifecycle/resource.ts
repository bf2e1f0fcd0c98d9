// What we know of one thing of ours at the provider.
import type { Selectable } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';

export type Resource = Selectable<Tables['provider_resources']>;

/** For the rest of the transaction; a subject that is to be locked, too, is locked before. */
export const lockResource = (tx: Db, handle: string): Promise<Resource> =>
  tx
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handle)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
