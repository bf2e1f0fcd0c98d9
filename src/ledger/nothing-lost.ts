// Promises no money while a restored database may lack what its user has done: someone who does not see a payment would pay it again.

import { Refusal } from '../domain/refusals.ts';
import { recoveryIn } from '../tables/database-histories/recovery.ts';
import type { LatestHistory } from '../tables/database-histories/statements.ts';
import { findOpenNotOrdered } from '../tables/discrepancies/statements.ts';
import type { Db } from '../tables/orm.ts';

/**
 * Asserts that nothing of the user's is missing.
 * @param latest as read in the same transaction.
 * @throws Refusal `recovery_underway` before the lists of the provider were compared, and later while something of the user's is missing.
 */
export async function assertNothingLost(tx: Db, userId: string, latest: LatestHistory): Promise<void> {
  const recovery = recoveryIn(latest);
  if (recovery === null) return;
  if (!recovery.isCompared || (await findOpenNotOrdered(tx, { userId })))
    throw new Refusal('recovery_underway');
}
