// The four tables of work: effects, callbacks, resources to poll, and nightly runs. Their rows are claimed, leased and counted in the
// same way.
import { type RawBuilder, sql } from 'kysely';
import { ofEach } from '../platform/database/prepared.ts';
import { prepared } from './prepared.ts';

/** An effect to run, a stored callback to process, a resource to poll, the next page of a nightly run. */
export const workKinds = ['effect', 'callback', 'poll', 'page'] as const;
export type WorkKind = (typeof workKinds)[number];

/** A table of work, and how the engine sees a row of it. */
type WorkTable = Record<
  'table' | 'id' | 'idType' | 'userId' | 'type' | 'isUrgent' | 'dueAt',
  RawBuilder<unknown>
>;

const ordinary = { idType: sql`uuid`, userId: sql`user_id`, isUrgent: sql`false`, dueAt: sql`due_at` };

export const workTables: Record<WorkKind, WorkTable> = {
  effect: {
    ...ordinary,
    table: sql`effects`,
    id: sql`id`,
    type: sql`type::text`,
    isUrgent: sql`coalesce(urgent_until > now(), false)`,
  },
  callback: { ...ordinary, table: sql`webhook_events`, id: sql`id`, type: sql`'callback'` },
  poll: {
    ...ordinary,
    table: sql`provider_resources`,
    id: sql`handle`,
    type: sql`'poll'`,
    dueAt: sql`next_poll_at`,
  },
  page: {
    ...ordinary,
    table: sql`job_runs`,
    id: sql`job || ' ' || run`,
    idType: sql`text`,
    userId: sql`null::uuid`,
    type: sql`job`,
  },
};

const MOST_OF_A_USER = 2;
/** Maximum number of rows that one claim examines, however many are due. */
const EXAMINED = 200;
/** The key under which callbacks of unknown users take one turn together. No user has it. */
const UNKNOWN_USER = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/**
 * A row may be committed this long after the time at which it became due: its database transaction began earlier. A statement and its
 * wait for a lock have a deadline of 5 s.
 */
export const COMMITTED_WITHIN = sql`interval '15 seconds'`;

export type WorkRow = {
  id: string;
  userId: string | null;
  type: string;
  token: number;
  isUrgent: boolean;
  /** For how long the row had been due, in milliseconds. */
  waitedMs: number;
};

/** A claimed row, and its place in the order of the claim. */
export type TakenRow = WorkRow & { place: string; placeAt: Date };

/** The range that a claim has examined. Each claim returns one such row. */
type ExaminedRow = {
  id: null;
  /** The last row that was examined. Null if the claim has examined all rows after its start. */
  place: string | null;
  placeAt: Date | null;
  /** Everything that was due before this time has been taken, except paused work. */
  takenUntil: Date;
};
type ClaimedRow = TakenRow | ExaminedRow;

/** The columns of a piece of work. */
const workOf = (kind: WorkKind): RawBuilder<unknown> => sql`
  ${workTables[kind].id} as id, lease_token as token, ${workTables[kind].userId} as user_id,
  ${workTables[kind].type} as type, ${workTables[kind].isUrgent} as "isUrgent",
  greatest(0, extract(epoch from now() - ${workTables[kind].dueAt}) * 1000)::float8 as "waitedMs"`;

/** Rows that are claimed in the order of a time, and the index that has this order. */
type InOrder = {
  kind: WorkKind;
  /** The user whose turn a row takes. */
  turn: RawBuilder<unknown>;
  /** The columns of the index. */
  at: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  isDue: RawBuilder<unknown>;
};

type ClaimInOrder = {
  owner: string;
  most: number;
  excludedUsers: string[];
  excludedTypes: string[];
  pausedTypes: string[];
  /** The row after which the claim begins. */
  afterAt: Date | '-infinity';
  after: string;
};

/**
 * Examines the oldest due rows, a fixed number in each claim, and takes at most two rows per user. The next claim continues behind them.
 * Rows are taken by their place in the table, which is what a lock holds.
 */
const claimInOrder = ({ kind, turn, at, id, isDue }: InOrder) =>
  prepared.all((_db, given: ClaimInOrder) => {
    const { table, type } = workTables[kind];
    const isOneOf = (types: string[]) => (kind === 'effect' ? sql`type = any(${types}::text[])` : sql`false`);
    return sql<ClaimedRow>`
    with examined as (
      select ctid as tid, ${turn} as turn, ${type} as type, ${id} as place, ${at} as place_at from ${table}
      where leased_by is null and ${isDue} and (${at}, ${id}) > (${given.afterAt}::timestamptz, ${given.after}::uuid)
      order by ${at}, ${id} limit ${sql.lit(EXAMINED)}
    ),
    fair as (
      select tid, place, place_at from (
        select *, row_number() over (partition by turn order by place_at, place) as nth from examined
        where turn <> all(${given.excludedUsers}::uuid[]) and not ${isOneOf(given.excludedTypes)}
      ) as each
      where nth <= ${sql.lit(MOST_OF_A_USER)}
    ),
    taken as (
      select each.tid from fair, lateral (
        select ctid as tid from ${table}
        where ctid = fair.tid and leased_by is null and ${isDue}
        for no key update skip locked
      ) as each
      order by fair.place_at, fair.place
      limit ${given.most}
    ),
    claimed as (
      update ${table} set leased_by = ${given.owner}, lease_token = lease_token + 1
      where ctid = any (array(select tid from taken))
      returning ${workOf(kind)}, ${id} as place, ${at} as "placeAt"
    )
    select claimed.*, null::timestamptz as "takenUntil" from claimed
    union all
    select null, null, null, null, null, null, last.place, last.place_at, least(
      now() - ${COMMITTED_WITHIN},
      (select min(place_at) from examined where tid <> all(array(select tid from taken)) and not ${isOneOf(given.pausedTypes)})
    )
    from (select) as always left join (
      select place, place_at from examined offset ${sql.lit(EXAMINED - 1)}
    ) as last on true`;
  });

const due: InOrder = {
  kind: 'effect',
  turn: sql`user_id`,
  at: sql`due_at`,
  id: sql`id`,
  isDue: sql`due_at <= now()`,
};

export const claimDueEffects = claimInOrder(due);
export const claimDueCallbacks = claimInOrder({
  ...due,
  kind: 'callback',
  turn: sql`coalesce(user_id, ${sql.lit(UNKNOWN_USER)}::uuid)`,
});
/** Claims conversions whose quotes have not expired. The quote that expires first goes first. */
export const claimUrgentEffects = claimInOrder({
  ...due,
  at: sql`urgent_until`,
  isDue: sql`status = 'queued' and urgent_until > now() and due_at <= now()`,
});
export const claimDuePolls = claimInOrder({
  kind: 'poll',
  turn: sql`user_id`,
  at: sql`next_poll_at`,
  id: sql`handle`,
  isDue: sql`next_poll_at <= now()`,
});

/** The job whose runs are slices of the provider's lists. All of them are due concurrently. */
export const SLICE_JOB = 'reconcile-slice';
export const SLICES_OF_A_PROCESS = 4;

/**
 * Claims the latest due run of each job, and slices. The lease covers one page. An earlier run of the same job that is still in
 * progress gives way to the latest, but slices do not give way to each other.
 */
export const claimDuePages = prepared.all(
  (_db, { owner, most, now }: { owner: string; most: number; now: Date }) => sql<WorkRow>`
    with latest as (
      select distinct on (job) job, run from job_runs
      where due_at <= now() and job <> ${sql.lit(SLICE_JOB)} order by job, run desc
    ),
    taken as (
      select job_runs.ctid as at from job_runs join latest using (job, run)
      where due_at <= now() and leased_by is null
      limit ${most}
      for no key update of job_runs skip locked
    ),
    slices as (
      select ctid as at from job_runs
      where job = ${sql.lit(SLICE_JOB)} and due_at <= now() and leased_by is null
      order by due_at, run
      limit greatest(0, least(
        ${most}::int - (select count(*) from taken),
        ${sql.lit(SLICES_OF_A_PROCESS)} - (
          select count(*) from job_runs
          where job = ${sql.lit(SLICE_JOB)} and leased_by = ${owner} and due_at is not null
        )
      ))
      for no key update skip locked
    )
    update job_runs
    set leased_by = ${owner}, lease_token = lease_token + 1, started_at = coalesce(started_at, ${now})
    where ctid = any (array(select at from taken union all select at from slices))
    returning ${workOf('page')}`,
);

type Lease = { id: string; owner: string; token: number };

const reclaim = (kind: WorkKind, recorded: RawBuilder<unknown>) =>
  prepared.first(
    (_db, { id, owner, token }: Lease) => sql<WorkRow>`
    update ${workTables[kind].table} set lease_token = lease_token + 1 ${recorded}
    where ${workTables[kind].id} = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${workOf(kind)}`,
  );

/** Gives a leased row a new token. The row is left as it is if the lease has ended. */
export const reclaimWork = ofEach(workKinds, (kind) => reclaim(kind, sql``));

/** Counts an attempt whose outcome could not be recorded. Times are by the database's clock. */
const failedAttempt: Record<WorkKind, RawBuilder<unknown>> = {
  effect: sql`, attempts = attempts + 1, last_unknown_at = now()`,
  callback: sql`, attempts = attempts + 1`,
  poll: sql`, poll_failures = poll_failures + 1`,
  page: sql`, failures = failures + 1`,
};

/** Gives a leased row a new token, and counts its last attempt as failed. */
export const reclaimFailedWork = ofEach(workKinds, (kind) => reclaim(kind, failedAttempt[kind]));

/** Ends leases whose work was not begun: it is due again, for any process. */
export const releaseWork = ofEach(workKinds, (kind) =>
  prepared.count(
    (_db, { owner, ids }: { owner: string; ids: string[] }) => sql`
    update ${workTables[kind].table} set leased_by = null
    where leased_by = ${owner} and ${workTables[kind].id} = any(${ids}::${workTables[kind].idType}[])`,
  ),
);

const leasesOf = (andRecent: (dueAt: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  prepared.all(
    (_db, { owner }: { owner: string }) => sql<{ kind: WorkKind; id: string; token: number }>`
    select 'effect' as kind, id::text, lease_token as token from effects
    where leased_by = ${owner} and due_at is not null ${andRecent(sql`due_at`)}
    union all
    select 'callback', id::text, lease_token from webhook_events
    where leased_by = ${owner} and due_at is not null ${andRecent(sql`due_at`)}
    union all
    select 'poll', handle::text, lease_token from provider_resources
    where leased_by = ${owner} ${andRecent(sql`next_poll_at`)}
    union all
    select 'page', job || ' ' || run, lease_token from job_runs
    where leased_by = ${owner} and due_at is not null`,
  );

/** Lists the leases of a process, by kind and id, with their tokens. */
export const listLeases = leasesOf(() => sql``);
/** Lists the leases of a process, except those of effects, callbacks and polls that became due more than 15 seconds ago. */
export const listRecentLeases = leasesOf((dueAt) => sql`and ${dueAt} > now() - ${COMMITTED_WITHIN}`);

/**
 * Ends leases, begun or not. All times are by the database's clock: the process that ends a lease and the one that judges its request
 * may differ in theirs. The request of an effect may have been sent, so its next attempt expects that. Every leased row is due; with
 * that condition the index of due rows is used.
 */
const endLeases = (isEnded: RawBuilder<unknown>): Record<WorkKind, RawBuilder<unknown>> => ({
  effect: sql`
    update effects set leased_by = null, lease_token = lease_token + 1, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where ${isEnded} and due_at is not null`,
  callback: sql`
    update webhook_events set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where ${isEnded} and due_at is not null`,
  poll: sql`
    update provider_resources set leased_by = null, lease_token = lease_token + 1, next_poll_at = now()
    where ${isEnded}`,
  page: sql`
    update job_runs set leased_by = null, lease_token = lease_token + 1, due_at = now()
    where ${isEnded} and due_at is not null`,
});

export const endLeasesOfOwner = ofEach(workKinds, (kind) =>
  prepared.count((_db, { owner }: { owner: string }) => endLeases(sql`leased_by = ${owner}`)[kind]),
);

/** Ends the leases of processes that are not registered any more. */
export const endOrphanedLeases = ofEach(workKinds, (kind) =>
  prepared.count(
    () =>
      endLeases(sql`leased_by is not null and not exists (select from processes where id = leased_by)`)[kind],
  ),
);

/** A time by the database's clock: other processes judge by it. Null if the delay is null. */
export const dueIn = (delayMs: number | null): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(secs => ${delayMs}::float8 / 1000)`;
