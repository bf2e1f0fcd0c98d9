// Whose an object of the provider's is, over all users. A verified identity, an account or a movement of money of one person must
// never count for another one, however wrong an answer of the provider's is. What is sent for a payment needs no such record: a
// transfer or payout of another person's is from another account (as-ordered.ts).
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import type { providerObjectKinds } from '../entities/provider-object-user.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';

type ObjectOfUser = { providerRef: string; kind: (typeof providerObjectKinds)[number]; userId: string };

/** Records it for the user where it is nobody's yet. @returns whether it is this user's. */
export async function isObjectOf(tx: Db, { providerRef, kind, userId }: ObjectOfUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await byEntity(tx)
    .insertInto('ProviderObjectUser')
    .values({ providerRef, kind, userId })
    .onConflict((conflict) => conflict.columns(['providerRef', 'kind']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 1n) return true;
  const recorded = await byEntity(tx)
    .selectFrom('ProviderObjectUser')
    .select('userId')
    .where('providerRef', '=', providerRef)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return recorded?.userId === userId;
}

/**
 * Called before a resource takes the provider's id.
 * @throws OutcomeUnknown when it is another user's identity or account: nothing of the answer may be written.
 */
export async function assertOwnObject(
  tx: Db,
  { kind, userId }: Pick<Entity<'ProviderResource'>, 'kind' | 'userId'>,
  providerRef: string,
): Promise<void> {
  if (kind !== 'owner' && kind !== 'account') return;
  if (!(await isObjectOf(tx, { providerRef, kind, userId })))
    throw new OutcomeUnknown(kind, 'the provider names an object of another user');
}
