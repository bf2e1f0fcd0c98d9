// The age of the oldest unfinished rows in their states, and which have exceeded their limit. Each state is one range of
// a partial index of the unfinished rows, however many rows are finished.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { subjectTables } from '../entities/subject.ts';
import { isNotAcknowledged } from './acknowledged.ts';
import { type AgeGroup, ageGroups } from './age-limits.ts';

/** Counting stops here, so that it stays cheap during an incident. */
const COUNTED_AT_MOST = 50_000;

export type Age = AgeGroup & {
  /** Null where there is none. */
  oldestSince: Date | null;
  /** How many have been there for longer than the limit. */
  pastLimit: number;
};

export async function agesOf(db: Db, now: Date): Promise<Age[]> {
  const lines = ageGroups.map((group, index) => {
    const among = sql`from ${rowsOf(group)}`;
    const late = sql`select ${among} and ${isPastLimit(group, now)} limit ${sql.lit(COUNTED_AT_MOST)}`;
    return sql`select ${sql.lit(index)} as index, (select min(state_entered_at) ${among}) as "oldestSince",
      (select count(*) from (${late}) late) as "pastLimit"`;
  });
  const { rows } = await sql<{ index: number; oldestSince: Date | null; pastLimit: number }>`
    ${sql.join(lines, sql` union all `)} order by 1
  `.execute(db);
  return rows.map(({ index, ...age }) => ({ ...(ageGroups[index] as AgeGroup), ...age }));
}

export type Overdue = Pick<AgeGroup, 'lifecycle' | 'state' | 'rail'> & {
  id: string;
  userId: string;
  since: Date;
  limitSeconds: number;
};

/** Those past the limit of their state, the oldest first. */
export async function overdueRows(db: Db, now: Date, limit: number): Promise<Overdue[]> {
  const groups = ageGroups.filter(({ limitSeconds }) => limitSeconds !== null);
  const lines = groups.map(
    (group, index) => sql`(
      select ${sql.lit(index)} as index, id, user_id as "userId", state_entered_at as since
      from ${rowsOf(group)} and ${isPastLimit(group, now)} order by state_entered_at limit ${limit}
    )`,
  );
  const { rows } = await sql<Pick<Overdue, 'id' | 'userId' | 'since'> & { index: number }>`
    ${sql.join(lines, sql` union all `)} order by since limit ${limit}
  `.execute(db);
  return rows.map(({ index, ...row }) => {
    const { lifecycle, state, rail, limitSeconds } = groups[index] as AgeGroup;
    return { lifecycle, state, rail, ...row, limitSeconds: Number(limitSeconds) };
  });
}

// Names of states are literals in the statement: with parameters, no partial index would be used.
function rowsOf({ lifecycle, state, rail }: AgeGroup): RawBuilder<unknown> {
  const conditions = [
    sql`state = ${sql.lit(state)}`,
    ...(rail === null ? [] : [sql`rail = ${sql.lit(rail)}`]),
    ...(lifecycle === 'pix_payment' ? [isNotAcknowledged] : []),
  ];
  return sql`${sql.table(subjectTables[lifecycle])} where ${sql.join(conditions, sql` and `)}`;
}

const isPastLimit = ({ limitSeconds }: AgeGroup, now: Date): RawBuilder<SqlBool> =>
  limitSeconds === null
    ? sql<SqlBool>`false`
    : sql<SqlBool>`state_entered_at <= ${new Date(now.getTime() - limitSeconds * 1_000)}::timestamptz`;
