// Counts what waits for a user or an operator because no job can finish it. The operators' status and the report of a
// reconciliation show the same numbers.

import { DatabaseTime } from '../platform/database/database-time.ts';
import { type Attention, countWaitingForPeople, DUE_SOON_MS } from '../tables/backlog.ts';
import type { Db } from '../tables/orm.ts';

export async function countAttention(db: Db): Promise<Attention> {
  const soon = (await DatabaseTime.read(db)).plus(DUE_SOON_MS);
  const attention = await countWaitingForPeople(db, { soon });
  if (!attention) throw new Error('a statement without a from clause has one row');
  return attention;
}
