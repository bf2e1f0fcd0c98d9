// Claims due work: rows that are due and that no process has. Rows that another transaction has locked are passed over.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { tables } from './leases.ts';
import type { Work, WorkKind } from './work.ts';

/** Of one person, in one claim. */
export const MOST_OF_A_PERSON = 2;
/** So many rows are considered for each that is wanted, so that people behind one with much work are found. */
const CONSIDERED = 8;

export type Claim = {
  owner: string;
  most: number;
  /** Types of effects that operators have paused, or that have their share of this process already. */
  excludedTypes: string[];
  /** People who have their share of this process already. */
  excludedUsers: string[];
  /**
   * By the service's clock: polls are planned by it, with the rest of what a snapshot changes. A clock that is wrong makes polls
   * early or late by as much, and decides nothing else.
   */
  now: Date;
};

/**
 * The ids come as arrays, of which the planner expects few. From a list of unknown length it expects a tenth of the table,
 * and scans it.
 */
export const claims: Record<WorkKind, (db: Db, claim: Claim) => Promise<Work[]>> = {
  effect: (db, claim) => claimEffects(db, claim, sql`due_at`),
  callback: (db, claim) => claimOldest(db, 'callback', claim, sql`now()`),
  poll: (db, claim) => claimOldest(db, 'poll', claim, sql`${claim.now}`),
};

/**
 * Claims conversions whose quotes are running down, the one that ends first before the others. Those whose quotes have ended
 * have nothing to lose any more: they come in their turn with other effects, and delay none that still can be in time.
 */
export const claimUrgent = (db: Db, claim: Claim): Promise<Work[]> =>
  claimEffects(db, claim, sql`urgent_until`, sql`and urgent_until > now()`);

function claimEffects(
  db: Db,
  { owner, most, excludedTypes, excludedUsers }: Claim,
  next: RawBuilder<unknown>,
  condition: RawBuilder<unknown> = sql``,
): Promise<Work[]> {
  return run(
    db,
    'effect',
    sql`
      with considered as (
        select id, user_id, ${next} as next from effects
        where leased_by is null and due_at <= now() ${condition}
          and type::text <> all(${excludedTypes}::text[]) and user_id <> all(${excludedUsers}::uuid[])
        order by next
        limit ${most * CONSIDERED}
        for no key update skip locked
      ),
      fair as (
        select id from (
          select id, next, row_number() over (partition by user_id order by next) as nth from considered
        ) as each
        where nth <= ${MOST_OF_A_PERSON}
        order by next
        limit ${most}
      )
      update effects set leased_by = ${owner}, lease_token = lease_token + 1
      where id = any (array(select id from fair))
      returning ${workOf('effect')}`,
  );
}

/** Of callbacks the person is not known; of polls each person has few. */
function claimOldest(
  db: Db,
  kind: 'callback' | 'poll',
  { owner, most }: Claim,
  now: RawBuilder<unknown>,
): Promise<Work[]> {
  const [table, id, dueAt] = [
    sql.table(tables[kind].name),
    sql.ref(tables[kind].id),
    sql.ref(tables[kind].dueAt),
  ];
  return run(
    db,
    kind,
    sql`
      update ${table} set leased_by = ${owner}, lease_token = lease_token + 1
      where ${id} = any (array(
        select ${id} from ${table} where leased_by is null and ${dueAt} <= ${now}
        order by ${dueAt} limit ${most} for no key update skip locked
      ))
      returning ${workOf(kind)}`,
  );
}

/** The columns of a piece of work. */
const workOf = (kind: WorkKind): RawBuilder<unknown> => sql`
  ${sql.ref(tables[kind].id)} as id, lease_token as token,
  ${kind === 'callback' ? sql`null::uuid` : sql`user_id`} as user_id,
  ${kind === 'effect' ? sql`type` : sql.lit(kind)} as type,
  ${kind === 'effect' ? sql`coalesce(urgent_until > now(), false)` : sql`false`} as is_urgent`;

type Claimed = { id: string; user_id: string | null; type: string; token: number; is_urgent: boolean };

async function run(db: Db, kind: WorkKind, statement: RawBuilder<unknown>): Promise<Work[]> {
  const { rows } = await (statement as RawBuilder<Claimed>).execute(db);
  return rows.map(({ id, user_id: userId, type, token, is_urgent: isUrgent }) => ({
    kind,
    id,
    userId,
    type,
    token,
    isUrgent,
  }));
}

/**
 * Takes up a row that this process has a lease of and does not hold in memory: the answer to its commit was lost, or its
 * outcome could not be recorded.
 * @param unrecordedAt when an outcome could not be recorded: an effect may have been sent, and its next try, by any
 *   process, counts on that. Null for what was not begun.
 * @returns null when the lease has ended meanwhile.
 */
export async function reclaim(
  db: Db,
  owner: string,
  { kind, id, token }: { kind: WorkKind; id: string; token: number },
  unrecordedAt: Date | null,
): Promise<Work | null> {
  const { name, id: idColumn } = tables[kind];
  const mayHaveBeenSent = kind === 'effect' && unrecordedAt !== null;
  const [work] = await run(
    db,
    kind,
    sql`
      update ${sql.table(name)} set lease_token = lease_token + 1
        ${mayHaveBeenSent ? sql`, attempts = attempts + 1, last_unknown_at = ${unrecordedAt}` : sql``}
      where ${sql.ref(idColumn)} = ${id} and leased_by = ${owner} and lease_token = ${token}
      returning ${workOf(kind)}`,
  );
  return work ?? null;
}
