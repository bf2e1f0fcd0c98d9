// The four tables of work: effects, callbacks, resources to poll, and nightly runs. Each row is its own work: it says when it is due and
// which process has it. The statements of each table are in its `work.ts`.
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTime } from '../platform/database/database-time.ts';
import { ofEach } from '../platform/database/prepared.ts';
import { prepared } from './prepared.ts';

/** An effect to run, a stored callback to process, a resource to poll, the next page of a nightly run. */
export const workKinds = ['effect', 'callback', 'poll', 'page'] as const;
export type WorkKind = (typeof workKinds)[number];

/** Maximum number of rows that one claim examines, however many are due. It is a literal in the statements, for the planner. */
export const EXAMINED = 200;
/**
 * A row may be committed this long after the time at which it became due: its database transaction began earlier, or its time is a second
 * old. A statement and its wait for a lock have a deadline of 5 s.
 */
export const COMMITTED_WITHIN_MS = 15_000;

/** The part of the due rows that a claim examines: behind one row, in the order of a time. */
export type Examined = { now: DatabaseTime; afterAt: Date | '-infinity'; after: string };

/** A due row that no process has leased. `placeAt` is its place in the order of the claim. */
export type DueRow = { id: string; userId: string | null; type: string; placeAt: Date };

/** Rows that a process leases if they are still due and not leased. */
export type Taking = { owner: string; userIds: string[]; ids: string[]; now: DatabaseTime };

export type TakingOne = { owner: string; userId: string | null; id: string; now: DatabaseTime };

/** A row that a process has just leased. */
export type LeasedRow = {
  id: string;
  userId: string | null;
  type: string;
  token: number;
  /** Null for a leased poll that has become superfluous. */
  dueAt: Date | null;
  /** Until when it runs before other work. Null if it is not urgent. */
  urgentUntil: Date | null;
};

/** One lease: the row, the process, and the token. `userId` is null for work that belongs to no user's row. */
export type Lease = { id: string; userId: string | null; owner: string; token: number };

/** Leases whose work has not begun. */
export type Unbegun = { owner: string; userIds: string[]; ids: string[] };

export type Owner = { owner: string };

/** The leases of a process whose work became due after a time. */
export type RecentLeases = { owner: string; since: DatabaseTime | '-infinity' };
export type LeaseRow = Pick<Lease, 'id' | 'userId' | 'token'>;

/** A time by the database's clock: other processes judge by it. Null if the delay is null. */
export const dueIn = (delayMs: number | null): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(secs => ${delayMs}::float8 / 1000)`;

const LOCKS_OF_CLAIMS = { effect: 7_215_411, callback: 7_215_412, poll: 7_215_413 } as const;

/** Locks one kind of work against the claims of other processes, for the rest of the database transaction. It never waits. */
export const tryLockClaims = ofEach(['effect', 'callback', 'poll'], (kind) =>
  prepared.first(
    () => sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(LOCKS_OF_CLAIMS[kind])}) as is_locked`,
  ),
);

/** Returns the keys of rows, for statements that name rows by user and id. */
export const keysOf = (
  rows: { id: string; userId: string | null }[],
): { userIds: string[]; ids: string[] } => ({
  userIds: [...new Set(rows.flatMap(({ userId }) => userId ?? []))],
  ids: rows.map(({ id }) => id),
});
