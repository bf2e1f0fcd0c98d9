// Records which user each identity, account and movement at the provider belongs to. One user's object must never count for another
// user, even if the provider's answer is wrong. Transfers and payouts need no such record: another user's come from another
// account, which as-expected.ts checks.
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { findObjectUser, insertObjectUser } from '../platform/sql/provider-object-users.ts';
import { OutcomeUnknown } from '../provider/errors.ts';

/** Records that the object belongs to the user, unless it already belongs to one. Returns whether it belongs to this user. */
export async function isObjectOf(tx: Db, object: Entity<'ProviderObjectUser'>): Promise<boolean> {
  if ((await insertObjectUser(tx, object)) === 1) return true;
  return (await findObjectUser(tx, object))?.userId === object.userId;
}

/**
 * Asserts that an identity or account belongs to the user. Called before its id is stored with a resource.
 * @throws OutcomeUnknown if it belongs to another user: nothing of the provider's answer may be written.
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
