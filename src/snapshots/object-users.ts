// Whose an object of the provider's is, over all users. A verified identity, an account or a movement of money of one person must
// never count for another one, however wrong an answer of the provider's is. What is sent for a payment needs no such record: a
// transfer or payout of another person's is from another account (as-ordered.ts).
import { byEntity } from '../database/by-entity.ts';
import type { Db } from '../database/orm.ts';
import type { providerObjectKinds } from '../entities/provider-object-user.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';

type ObjectOfUser = { providerRef: string; kind: (typeof providerObjectKinds)[number]; userId: string };

/** @returns whether it was nobody's until now. */
export async function recordObjectUser(tx: Db, object: ObjectOfUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await byEntity(tx)
    .insertInto('ProviderObjectUser')
    .values(object)
    .onConflict((conflict) => conflict.columns(['providerRef', 'kind']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
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
  if (await recordObjectUser(tx, { providerRef, kind, userId })) return;
  const recorded = await byEntity(tx)
    .selectFrom('ProviderObjectUser')
    .select('userId')
    .where('providerRef', '=', providerRef)
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (recorded?.userId !== userId)
    throw new OutcomeUnknown(kind, 'the provider names an object of another user');
}
