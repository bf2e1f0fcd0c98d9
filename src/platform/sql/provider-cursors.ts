// The positions in the provider's lists up to which nothing needs to be scanned again.

import type { Entity } from '../database/entities/rows.ts';
import { prepared } from '../database/prepared.ts';

type Cursor = Entity<'ProviderCursor'>;

export const findCursor = prepared.first((db, { list }: Pick<Cursor, 'list'>) =>
  db.selectFrom('ProviderCursor').select('after').where('list', '=', list),
);

export const moveCursor = prepared.count((db, { list, after, updatedAt }: Cursor) =>
  db
    .insertInto('ProviderCursor')
    .values({ list, after, updatedAt })
    .onConflict((conflict) => conflict.column('list').doUpdateSet({ after, updatedAt })),
);
