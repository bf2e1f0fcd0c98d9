// Whose an object of the provider's is, over all users. A verified identity, an account or a movement of money of one person must
// never count for another one, however wrong an answer of the provider's is. What is sent for a payment needs no such record: a
// transfer or payout of another person's is from another account (as-ordered.ts).
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { findObjectUser, insertObjectUser } from '../sql/provider-object-users.ts';

/** Records the object for the user if no user has it yet. @returns whether this user has it. */
export async function isObjectOf(tx: Db, object: Entity<'ProviderObjectUser'>): Promise<boolean> {
  if ((await insertObjectUser(tx, object)) === 1) return true;
  return (await findObjectUser(tx, object))?.userId === object.userId;
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
