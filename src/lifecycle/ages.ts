// Reads the age of the oldest unfinished row in each state, and the rows that have exceeded their limit.

import { listAges, listLateRows } from '../tables/ages.ts';
import type { Db } from '../tables/orm.ts';
import { type AgeGroup, ageGroups, enteredUntil } from './age-limits.ts';

export type Age = AgeGroup & {
  /** When the oldest row entered the state; null if there is no row. */
  oldestSince: Date | null;
  pastLimit: number;
};

export async function agesOf(db: Db, now: Date): Promise<Age[]> {
  const ages = await listAges(db, { enteredUntil: limitsAt(now) });
  return ages.map(({ index, ...age }) => ({ ...(ageGroups[index] as AgeGroup), ...age }));
}

export type Overdue = Pick<AgeGroup, 'lifecycle' | 'state' | 'rail'> & {
  id: string;
  userId: string;
  since: Date;
  limitSeconds: number;
};

/** Lists the rows that have exceeded the limit of their state, oldest first. */
export async function overdueRows(db: Db, now: Date, limit: number): Promise<Overdue[]> {
  const rows = await listLateRows(db, { enteredUntil: limitsAt(now), limit });
  return rows.map(({ index, ...row }) => {
    const { lifecycle, state, rail, limitSeconds } = ageGroups[index] as AgeGroup;
    return { lifecycle, state, rail, ...row, limitSeconds: Number(limitSeconds) };
  });
}

/**
 * Returns one time per group: a row that entered its state at that time or before has exceeded the group's limit.
 * Null if the group has no limit.
 */
const limitsAt = (now: Date): (Date | null)[] => ageGroups.map((group) => enteredUntil(group, now));
