// For how long unfinished rows have been in their states, in the four tables with a machine. Each state is one range of a partial index
// of the unfinished rows, however many rows are finished.
import { type RawBuilder, sql } from 'kysely';
import type { MachineName, StateOf } from '../../machines/machines.ts';
import { unfinished } from '../../machines/states.ts';
import { type Rail, rails } from '../domain/rails.ts';
import { isNotAcknowledged } from './pix-payments/statements.ts';
import { prepared } from './prepared.ts';
import { subjectTables } from './subject.ts';

/** Counting stops here, so that it stays cheap during an incident. */
const COUNTED_AT_MOST = 50_000;

/** Rows that are counted together. `rail` is null for rows that use none. */
export type StateGroup = { lifecycle: MachineName; state: StateOf; rail: Rail | null };

/** Every unfinished state of every lifecycle, withdrawals by their rail. */
export const stateGroups: readonly StateGroup[] = (Object.keys(unfinished) as MachineName[]).flatMap(
  (lifecycle) =>
    unfinished[lifecycle].flatMap((state: StateOf) =>
      railsOf(lifecycle).map((rail) => ({ lifecycle, state, rail })),
    ),
);

function railsOf(lifecycle: MachineName): (Rail | null)[] {
  return lifecycle === 'withdraw' ? Object.values(rails).map(({ rail }) => rail) : [null];
}

/** A time for each of `stateGroups`, in their order: a row that entered its state then or before is late. With null, none is. */
type Late = { enteredUntil: (Date | null)[] };

type Age = { index: number; oldestSince: Date | null; pastLimit: number };

/** Finds the age of the oldest row of each group, and counts the late ones. `index` is the place of the group in `stateGroups`. */
export const listAges = prepared.all((_db, { enteredUntil }: Late) => {
  const lines = stateGroups.map((group, index) => {
    const among = sql`from ${rowsOf(group)}`;
    const late = sql`select 1 ${among} and ${isLate(enteredUntil, index)} limit ${sql.lit(COUNTED_AT_MOST)}`;
    return sql`select ${sql.lit(index)} as index, (select min(state_entered_at) ${among}) as "oldestSince",
      (select count(*) from (${late}) late) as "pastLimit"`;
  });
  return sql<Age>`${sql.join(lines, sql` union all `)} order by 1`;
});

type LateRow = { index: number; id: string; userId: string; since: Date };

/** Lists the late rows, the oldest first. `index` is the place of the group in `stateGroups`. */
export const listLateRows = prepared.all((_db, { enteredUntil, limit }: Late & { limit: number }) => {
  const lines = stateGroups.map(
    (group, index) => sql`(
      select ${sql.lit(index)} as index, id, user_id, state_entered_at as since
      from ${rowsOf(group)} and ${isLate(enteredUntil, index)} order by state_entered_at limit ${limit}
    )`,
  );
  return sql<LateRow>`${sql.join(lines, sql` union all `)} order by since limit ${limit}`;
});

/** The names of states are literals in the statement: with parameters, no partial index would be used. */
function rowsOf({ lifecycle, state, rail }: StateGroup): RawBuilder<unknown> {
  const conditions = [
    sql`state = ${sql.lit(state)}`,
    ...(rail === null ? [] : [sql`rail = ${sql.lit(rail)}`]),
    ...(lifecycle === 'pix_payment' ? [isNotAcknowledged] : []),
  ];
  return sql`${sql.table(subjectTables[lifecycle])} where ${sql.join(conditions, sql` and `)}`;
}

/** Arrays of PostgreSQL begin with 1. */
const isLate = (enteredUntil: (Date | null)[], index: number): RawBuilder<unknown> =>
  sql`state_entered_at <= (${enteredUntil}::timestamptz[])[${sql.lit(index + 1)}]`;
