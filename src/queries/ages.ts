// The age of the oldest unfinished rows in their states, and which have exceeded their limit.
import type { Db } from '../database/orm.ts';
import { listAges, listLateRows } from '../sql/ages.ts';
import { type AgeGroup, ageGroups } from './age-limits.ts';

export type Age = AgeGroup & {
  /** Null if there is none. */
  oldestSince: Date | null;
  /** How many have been there for longer than the limit. */
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

/** Those past the limit of their state, the oldest first. */
export async function overdueRows(db: Db, now: Date, limit: number): Promise<Overdue[]> {
  const rows = await listLateRows(db, { enteredUntil: limitsAt(now), limit });
  return rows.map(({ index, ...row }) => {
    const { lifecycle, state, rail, limitSeconds } = ageGroups[index] as AgeGroup;
    return { lifecycle, state, rail, ...row, limitSeconds: Number(limitSeconds) };
  });
}

/** A row of a group that entered its state then, or before, has exceeded the limit of the group; null if the group has no limit. */
const limitsAt = (now: Date): (Date | null)[] =>
  ageGroups.map(({ limitSeconds }) =>
    limitSeconds === null ? null : new Date(now.getTime() - limitSeconds * 1_000),
  );
