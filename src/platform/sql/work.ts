// The four tables of work: effects, callbacks, resources to poll, and nightly runs. Their rows are claimed, leased and counted in the
// same way.
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

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

const ofEach = <Statement>(build: (kind: WorkKind) => Statement): Record<WorkKind, Statement> => ({
  effect: build('effect'),
  callback: build('callback'),
  poll: build('poll'),
  page: build('page'),
});

/** Rows that one claim takes of one person. */
const MOST_OF_A_PERSON = 2;
/** People that one claim looks at; for polls, rows. It reads no more pages however much is due. */
const EXAMINED = 200;
/** The key under which callbacks of unknown users take one turn together. No user has it. */
export const UNKNOWN_USER = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type WorkRow = {
  id: string;
  userId: string | null;
  type: string;
  token: number;
  isUrgent: boolean;
  /** For how long the row had been due, in milliseconds. */
  waitedMs: number;
};
/** A row without an id is the last place that was looked at. */
export type ClaimedRow = (WorkRow | { id: null }) & { place: string; placeAt: Date | null };

/** The columns of a piece of work. */
const workOf = (kind: WorkKind): RawBuilder<unknown> => sql`
  ${workTables[kind].id} as id, lease_token as token, ${workTables[kind].userId} as user_id,
  ${workTables[kind].type} as type, ${workTables[kind].isUrgent} as "isUrgent",
  greatest(0, extract(epoch from now() - ${workTables[kind].dueAt}) * 1000)::float8 as "waitedMs"`;

/** A table whose rows are claimed user by user, with the parts that its index consists of. */
type ByUser = {
  kind: WorkKind;
  table: RawBuilder<unknown>;
  user: RawBuilder<unknown>;
  /** The condition that all rows of the index meet. */
  isWaiting: RawBuilder<unknown>;
  /** A further condition of the rows that are taken. */
  isDue: RawBuilder<unknown>;
  /** The order of one person's rows. */
  order: RawBuilder<unknown>;
};

const effects: ByUser = {
  kind: 'effect',
  table: sql`effects`,
  user: sql`user_id`,
  isWaiting: sql`leased_by is null and due_at <= now()`,
  isDue: sql`true`,
  order: sql`due_at`,
};

/** The quote of a person that ends first goes before that person's others. */
const urgentEffects: ByUser = {
  ...effects,
  isWaiting: sql`leased_by is null and status = 'queued' and urgent_until > now()`,
  isDue: sql`due_at <= now()`,
  order: sql`urgent_until`,
};

const callbacks: ByUser = {
  ...effects,
  kind: 'callback',
  table: sql`webhook_events`,
  user: sql`coalesce(user_id, ${sql.lit(UNKNOWN_USER)}::uuid)`,
};

type UserClaim = {
  owner: string;
  most: number;
  excludedTypes: string[];
  excludedUsers: string[];
  /** The last user that was looked at. */
  after: string;
};

/**
 * Rows are taken by their place in the table, which is what a lock holds: by their keys each would be looked up once more. `people`
 * steps through an index that begins with the user: each step reads the first entry of the next person, so a person with many rows
 * costs as much as one with a single row. Rows that are due later cost an entry of the index each.
 */
const claimByUser = ({ kind, table, user, isWaiting, isDue, order }: ByUser) =>
  prepared.all((_db, { owner, most, excludedTypes, excludedUsers, after }: UserClaim) => {
    const isIncluded = kind === 'effect' ? sql`type::text <> all(${excludedTypes}::text[])` : sql`true`;
    return sql<ClaimedRow>`
    with recursive people as (
      (select ${user} as person from ${table}
        where ${isWaiting} and ${user} > ${after}::uuid order by ${user} limit 1)
      union all
      select later.person from people, lateral (
        select ${user} as person from ${table}
        where ${isWaiting} and ${user} > people.person order by ${user} limit 1
      ) as later
    ),
    examined as (select person from people limit ${sql.lit(EXAMINED)}),
    taken as (
      select each.at from examined, lateral (
        select ctid as at from ${table}
        where ${isWaiting} and ${isDue} and ${isIncluded} and ${user} = examined.person
        order by ${order} limit ${sql.lit(MOST_OF_A_PERSON)}
        for no key update skip locked
      ) as each
      where examined.person <> all(${excludedUsers}::uuid[])
      limit ${most}
    ),
    claimed as (
      update ${table} set leased_by = ${owner}, lease_token = lease_token + 1
      where ctid = any (array(select at from taken))
      returning ${workOf(kind)}, ${user} as place
    )
    select claimed.*, null::timestamptz as "placeAt" from claimed
    union all
    select null, null, null, null, null, null, last.person, null
    from (select person from examined offset ${sql.lit(EXAMINED - 1)}) as last
    where (select count(*) from claimed) < ${most}`;
  });

export const claimDueEffects = claimByUser(effects);
export const claimUrgentEffects = claimByUser(urgentEffects);
export const claimDueCallbacks = claimByUser(callbacks);

type PollClaim = {
  owner: string;
  most: number;
  excludedUsers: string[];
  /** When the last poll that was looked at was due. */
  afterDueAt: Date | '-infinity';
  /** The handle of the last poll that was looked at. */
  after: string;
  now: Date;
};

/**
 * Polls of most people are planned for later, so a step from person to person would read them all. The oldest that are due are looked
 * at instead, a fixed number in each claim; the next claim continues behind them.
 */
export const claimDuePolls = prepared.all(
  (_db, { owner, most, excludedUsers, afterDueAt, after, now }: PollClaim) => sql<ClaimedRow>`
    with examined as (
      select ctid as at, handle, user_id, next_poll_at from provider_resources
      where leased_by is null and next_poll_at <= ${now}
        and (next_poll_at, handle) > (${afterDueAt}::timestamptz, ${after}::uuid)
      order by next_poll_at, handle limit ${sql.lit(EXAMINED)}
    ),
    fair as (
      select at, handle, next_poll_at from (
        select *, row_number() over (partition by user_id order by next_poll_at, handle) as nth from examined
        where user_id <> all(${excludedUsers}::uuid[])
      ) as each
      where nth <= ${sql.lit(MOST_OF_A_PERSON)}
    ),
    taken as (
      select each.at from fair, lateral (
        select ctid as at from provider_resources
        where ctid = fair.at and leased_by is null and next_poll_at <= ${now}
        for no key update skip locked
      ) as each
      order by fair.next_poll_at, fair.handle
      limit ${most}
    ),
    claimed as (
      update provider_resources set leased_by = ${owner}, lease_token = lease_token + 1
      where ctid = any (array(select at from taken))
      returning ${workOf('poll')}, handle as place, next_poll_at as "placeAt"
    )
    select * from claimed
    union all
    select null, null, null, null, null, null, last.handle, last.next_poll_at
    from (select handle, next_poll_at from examined offset ${sql.lit(EXAMINED - 1)}) as last
    where (select count(*) from claimed) < ${most}`,
);

/** The job whose runs are slices of the provider's lists. All of them are due concurrently. */
export const SLICE_JOB = 'reconcile-slice';
/** Slices that one process works on concurrently. */
export const SLICES_OF_A_PROCESS = 4;

/**
 * Claims the latest due run of each job, and slices. The lease covers one page. An earlier run of the same job that is still in
 * progress gives way to the latest, but slices do not give way to each other.
 */
export const claimDuePages = prepared.all(
  (_db, { owner, most, now }: { owner: string; most: number; now: Date }) => sql<ClaimedRow>`
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
    returning ${workOf('page')}, job as place, null::timestamptz as "placeAt"`,
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
export const reclaimWork = ofEach((kind) => reclaim(kind, sql``));

/** Counts an attempt whose outcome could not be recorded. Times are by the database's clock. */
const failedAttempt: Record<WorkKind, RawBuilder<unknown>> = {
  effect: sql`, attempts = attempts + 1, last_unknown_at = now()`,
  callback: sql`, attempts = attempts + 1`,
  poll: sql`, poll_failures = poll_failures + 1`,
  page: sql`, failures = failures + 1`,
};

/** Gives a leased row a new token, and counts its last attempt as failed. */
export const reclaimFailedWork = ofEach((kind) => reclaim(kind, failedAttempt[kind]));

/** Ends leases whose work was not begun: it is due again, for any process. */
export const releaseWork = ofEach((kind) =>
  prepared.count(
    (_db, { owner, ids }: { owner: string; ids: string[] }) => sql`
    update ${workTables[kind].table} set leased_by = null
    where leased_by = ${owner} and ${workTables[kind].id} = any(${ids}::${workTables[kind].idType}[])`,
  ),
);

/** Lists the leases of a process, by kind and id, with their tokens. */
export const listLeases = prepared.all(
  (_db, { owner }: { owner: string }) => sql<{ kind: WorkKind; id: string; token: number }>`
    select 'effect' as kind, id::text, lease_token as token from effects
    where leased_by = ${owner} and due_at is not null
    union all
    select 'callback', id::text, lease_token from webhook_events
    where leased_by = ${owner} and due_at is not null
    union all
    select 'poll', handle::text, lease_token from provider_resources
    where leased_by = ${owner}
    union all
    select 'page', job || ' ' || run, lease_token from job_runs
    where leased_by = ${owner} and due_at is not null`,
);

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

/** Ends the leases of one process. */
export const endLeasesOfOwner = ofEach((kind) =>
  prepared.count((_db, { owner }: { owner: string }) => endLeases(sql`leased_by = ${owner}`)[kind]),
);

/** Ends the leases of processes that are not registered any more. */
export const endOrphanedLeases = ofEach((kind) =>
  prepared.count(
    () =>
      endLeases(sql`leased_by is not null and not exists (select from processes where id = leased_by)`)[kind],
  ),
);

/** At most this many rows of each kind of work are read. */
const WAITS_READ_AT_MOST = 10_000;
/** A person with more pieces of work under way waits for their own slots, and does not count. */
const MOST_UNDER_WAY = 4;

type PaymentWaitsRow = { conversion: number[]; payout: number[]; report: number[]; piles: string[] };

/**
 * Finds the longest waits of the people whose payments wait, in milliseconds, and the people who have more work under way than one
 * payment has. Work that is planned for later, leased or paused does not wait.
 * @param given `most` is the number of waits of each stage.
 */
export const findPaymentWaits = prepared.first(
  (_db, { most }: { most: number }) => sql<PaymentWaitsRow>`
    with under_way as (
      (select type::text as type, user_id, ${sinceDue} as wait from effects
        where leased_by is null and due_at <= now() and type in ('startConversion', 'startPayout')
        limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select type::text, user_id, null from effects
        where leased_by is not null and due_at is not null and type in ('startConversion', 'startPayout')
        limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select 'callback', user_id, ${sinceDue} from webhook_events
        where leased_by is null and due_at <= now() limit ${sql.lit(WAITS_READ_AT_MOST)})
      union all
      (select 'callback', user_id, null from webhook_events
        where leased_by is not null and due_at is not null limit ${sql.lit(WAITS_READ_AT_MOST)})
    ),
    people as (
      select type, user_id, max(wait) as wait, sum(count(*)) over (partition by user_id) as pieces from under_way
      group by type, user_id
    ),
    waiting as (
      select type, wait from people
      where pieces <= ${sql.lit(MOST_UNDER_WAY)} and wait is not null and type not in (select type from effect_pauses)
    )
    select
      array(select wait from waiting where type = 'startConversion' order by wait desc limit ${most}) as conversion,
      array(select wait from waiting where type = 'startPayout' order by wait desc limit ${most}) as payout,
      array(select wait from waiting where type = 'callback' order by wait desc limit ${most}) as report,
      array(
        select distinct user_id::text from people where pieces > ${sql.lit(MOST_UNDER_WAY)} and user_id is not null
      ) as piles`,
);

const sinceDue: RawBuilder<unknown> = sql`(extract(epoch from now() - due_at) * 1000)::float8`;

/** A time by the database's clock: other processes judge by it. */
export const dueIn = (delayMs: number): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(secs => ${delayMs}::float8 / 1000)`;
