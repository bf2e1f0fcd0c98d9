// The lock under which everything about one user's money is decided.
import { Refusal } from '../../domain/refusals.ts';
import type { Db } from '../orm.ts';
import { type KnownUser, lockUserRow } from './statements.ts';

/** Locks the user's row for the rest of the transaction. Every reservation starts with it. @throws Refusal `account_closed` */
export async function lockUser(tx: Db, userId: string): Promise<KnownUser> {
  const user = await lockUserRow(tx, { userId });
  if (!user) throw new Error(`the user ${userId} is missing`);
  if (user.closedAt !== null) throw new Refusal('account_closed');
  return user;
}
