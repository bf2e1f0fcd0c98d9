// Claims due work: rows that are due and that no process has. People are served in turn: a claim takes two rows of each at most, and the
// next one goes on with the person after. Rows that another transaction has locked are skipped.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { tables } from './leases.ts';
import type { Work, WorkKind } from './work.ts';

/** Rows that one claim takes of one person. */
const MOST_OF_A_PERSON = 2;
/** People that one claim looks at; of polls, rows. It reads no more pages however much is due. */
const EXAMINED = 200;
/** The key under which callbacks of unknown users take one turn together. No user has it. */
const UNKNOWN_USER = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** `urgent`: conversions whose quotes are running down. */
export type Claimable = WorkKind | 'urgent';

export type Claim = {
  owner: string;
  most: number;
  /** Types of effects that operators have paused, or that have their share of this process already. */
  excludedTypes: string[];
  /** People who have their share of this process already. */
  excludedUsers: string[];
  /** Where the claim begins: where the last one of its kind ended. Null: from the start. */
  after: Place | null;
  /**
   * The service's clock, by which polls are planned with the rest of what a snapshot changes. A clock that is wrong makes polls early or
   * late by as much, and decides nothing else.
   */
  now: Date;
};

/** The last person who was looked at; of polls, when the last one was due, and its handle. */
export type Place = { key: string; dueAt: Date | null };

export type Claimed = {
  works: Work[];
  /** Where the next claim goes on; null when this one has looked at everything that is due from its beginning on. */
  next: Place | null;
};

/**
 * Rows are taken by their place in the table, which is what a lock holds: by their keys each would be looked up once more.
 */
export const claims: Record<Claimable, (db: Db, claim: Claim) => Promise<Claimed>> = {
  urgent: (db, claim) => claimByUser(db, urgentEffects, claim),
  effect: (db, claim) => claimByUser(db, effects, claim),
  callback: (db, claim) => claimByUser(db, callbacks, claim),
  poll: claimPolls,
};

/** A table whose rows are claimed user by user, with the parts that its index consists of. */
type ByUser = {
  kind: WorkKind;
  table: RawBuilder<unknown>;
  user: RawBuilder<unknown>;
  /** What the rows of the index have in common. */
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

/**
 * `people` steps through an index that begins with the user: each step reads the first entry of the next person, so a person with many
 * rows costs as much as one with a single row. Rows that are due later cost an entry of the index each.
 */
async function claimByUser(
  db: Db,
  { kind, table, user, isWaiting, isDue, order }: ByUser,
  { owner, most, excludedTypes, excludedUsers, after }: Claim,
): Promise<Claimed> {
  const isIncluded = kind === 'effect' ? sql`type::text <> all(${excludedTypes}::text[])` : sql`true`;
  const start = after?.key ?? '00000000-0000-0000-0000-000000000000';
  const { rows } = await sql<Row>`
    with recursive people as (
      (select ${user} as person from ${table}
        where ${isWaiting} and ${user} > ${start}::uuid order by ${user} limit 1)
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
    select claimed.*, null::timestamptz as place_at from claimed
    union all
    select null, null, null, null, null, last.person, null
    from (select person from examined offset ${sql.lit(EXAMINED - 1)}) as last
    where (select count(*) from claimed) < ${most}`.execute(db);
  return claimedOf(kind, rows, most);
}

/**
 * Polls of most people are planned for later, so a step from person to person would read them all. The oldest that are due are looked
 * at instead, so many in each claim; the next claim goes on behind them.
 */
async function claimPolls(db: Db, { owner, most, excludedUsers, after, now }: Claim): Promise<Claimed> {
  const { rows } = await sql<Row>`
    with examined as (
      select ctid as at, handle, user_id, next_poll_at from provider_resources
      where leased_by is null and next_poll_at <= ${now}
        and (next_poll_at, handle) > (${after?.dueAt ?? '-infinity'}::timestamptz, ${after?.key ?? UNKNOWN_USER}::uuid)
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
      returning ${workOf('poll')}, handle as place, next_poll_at as place_at
    )
    select * from claimed
    union all
    select null, null, null, null, null, last.handle, last.next_poll_at
    from (select handle, next_poll_at from examined offset ${sql.lit(EXAMINED - 1)}) as last
    where (select count(*) from claimed) < ${most}`.execute(db);
  return claimedOf('poll', rows, most);
}

/** The columns of a piece of work. */
const workOf = (kind: WorkKind): RawBuilder<unknown> => sql`
  ${sql.ref(tables[kind].id)} as id, lease_token as token, user_id,
  ${kind === 'effect' ? sql`type::text` : sql.lit(kind)} as type,
  ${kind === 'effect' ? sql`coalesce(urgent_until > now(), false)` : sql`false`} as is_urgent`;

type WorkRow = { id: string; user_id: string | null; type: string; token: number; is_urgent: boolean };
/** Without an id: the last place that was looked at. */
type Row = (WorkRow | { id: null }) & { place: string; place_at: Date | null };

function claimedOf(kind: WorkKind, rows: Row[], most: number): Claimed {
  const works = rows.flatMap((row) => (row.id === null ? [] : [workFrom(kind, row)]));
  const places = rows
    .filter(({ id }) => id === null || works.length >= most)
    .map(({ place, place_at: dueAt }): Place => ({ key: place, dueAt }));
  return { works, next: places.toSorted(comparePlaces).at(-1) ?? null };
}

const comparePlaces = (one: Place, other: Place): number =>
  (one.dueAt?.getTime() ?? 0) - (other.dueAt?.getTime() ?? 0) || (one.key < other.key ? -1 : 1);

/** Records an attempt whose outcome could not be recorded. Times are the database's. */
const failedAttempt: Record<WorkKind, RawBuilder<unknown>> = {
  effect: sql`, attempts = attempts + 1, last_unknown_at = now()`,
  callback: sql`, attempts = attempts + 1`,
  poll: sql`, poll_failures = poll_failures + 1`,
};

const workFrom = (
  kind: WorkKind,
  { id, user_id: userId, type, token, is_urgent: isUrgent }: WorkRow,
): Work => ({ kind, id, userId, type, token, isUrgent });

/**
 * Resumes a row that is leased to this process and does not run: the response to its commit was lost, or its outcome could not be
 * recorded.
 * @param isRetry whether an outcome could not be recorded. The attempt then counts as failed, and an effect's request may have been
 *   sent, which its next attempt must know.
 * @returns null if the lease has ended.
 */
export async function reclaim(
  db: Db,
  owner: string,
  { kind, id, token }: { kind: WorkKind; id: string; token: number },
  { isRetry }: { isRetry: boolean },
): Promise<Work | null> {
  const { name, id: idColumn } = tables[kind];
  const { rows } = await sql<WorkRow>`
    update ${sql.table(name)} set lease_token = lease_token + 1 ${isRetry ? failedAttempt[kind] : sql``}
    where ${sql.ref(idColumn)} = ${id} and leased_by = ${owner} and lease_token = ${token}
    returning ${workOf(kind)}`.execute(db);
  const [row] = rows;
  return row ? workFrom(kind, row) : null;
}
