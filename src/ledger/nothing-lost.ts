// Promises no money while a restored database may lack what its user has done: someone who does not see a payment would pay it again.

import { Refusal } from '../domain/refusals.ts';
import type { findLatestHistory } from '../tables/database-histories/statements.ts';
import { findOpenNotOrdered } from '../tables/discrepancies/statements.ts';
import type { Db } from '../tables/orm.ts';

export type History = Awaited<ReturnType<typeof findLatestHistory>>;

/**
 * Asserts that nothing of the user's is missing.
 * @param latest as read in the same transaction. A database without a history is new.
 * @throws Refusal `recovery_underway` before the lists of the provider were compared, and later while something of the user's is missing.
 */
export async function assertNothingLost(tx: Db, userId: string, latest: History): Promise<void> {
  if (!latest || latest.id === null) return;
  const isCompared = latest.server === latest.here && latest.comparedAt !== null;
  if (isCompared && latest.endedAt !== null) return;
  if (!isCompared || (await findOpenNotOrdered(tx, { userId }))) throw new Refusal('recovery_underway');
}
