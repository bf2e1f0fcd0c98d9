// Counts what waits for a user or an operator because no job can finish it. The operators' status and the report of a
// reconciliation show the same numbers.

import { type Attention, countWaitingForPeople } from '../tables/backlog.ts';
import type { Db } from '../tables/orm.ts';

export async function countAttention(db: Db): Promise<Attention> {
  const attention = await countWaitingForPeople(db, {});
  if (!attention) throw new Error('a statement without a from clause has one row');
  return attention;
}
