// What we know of one thing of ours at the provider.

import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';

/** For the rest of the transaction; a subject that is to be locked, too, is locked before. */
export const lockResource = (tx: Db, handle: string): Promise<ProviderResourceRow> =>
  tx
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handle)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
