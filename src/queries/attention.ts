// Counts of what waits for a person because no job can finish it: for its user, or for an operator. The operators' status and the report
// of a reconciliation show the same numbers.
import type { Db } from '../database/orm.ts';
import { type Attention, countWaitingForPeople } from '../sql/backlog.ts';

export async function countAttention(db: Db): Promise<Attention> {
  const attention = await countWaitingForPeople(db, {});
  if (!attention) throw new Error('a statement without a from clause has one row');
  return attention;
}
