// What we know of one thing of ours at the provider.
import { sql, type Updateable } from 'kysely';
import type { Db } from '../database/orm.ts';
import { statement } from '../database/statement.ts';
import type { Entities } from '../entities/index.ts';
import type { Entity } from '../entities/rows.ts';

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
  const { rows } = await lock(tx, { handle, userId });
  const [resource] = rows;
  if (!resource) throw new Error(`nothing was ordered under the handle ${handle}`);
  return resource;
}

const lock = statement((db, { handle, userId }: { handle: string; userId: string }) =>
  db
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', handle)
    .where('userId', '=', userId)
    .forNoKeyUpdate(),
);

/** By the handle alone, which is all that a report of the provider names. */
export async function findResource(db: Db, handle: string): Promise<Entity<'ProviderResource'> | undefined> {
  const { rows } = await find(db, { handle });
  return rows[0];
}

const find = statement((db, { handle }: { handle: string }) =>
  db.selectFrom('ProviderResource').selectAll().where('handle', '=', handle),
);

type Change = { handle: string; userId: string; changed: Updateable<Entities['ProviderResource']> };

export const updateResource = statement((db, { handle, userId, changed }: Change) =>
  db.updateTable('ProviderResource').set(changed).where('handle', '=', handle).where('userId', '=', userId),
);

/** The same for what takes its money the moment it exists: with the balance's version as the statement before has left it. */
export const updateDebitedResource = statement((db, { handle, userId, changed }: Change) =>
  db
    .updateTable('ProviderResource')
    .set({
      ...changed,
      debitedBalanceVersion: sql<number>`(select balance_version from users where id = ${userId}::uuid)`,
    })
    .where('handle', '=', handle)
    .where('userId', '=', userId),
);
