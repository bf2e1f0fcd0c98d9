// Claims serve the oldest work first, two rows per user. No user waits for the pile of another user, and a claim reads the same number of
// pages whether few or many rows are due.
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import {
  type Claimable as AnyClaimable,
  type Claim,
  type Claimed,
  claims,
  type Place,
} from '../../src/outbox/claim.ts';
import type { Work } from '../../src/outbox/work.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { tryLockClaims } from '../../src/tables/work.ts';
import { claimOnce } from '../support/claim-once.ts';
import { fill } from '../support/fill.ts';
import { claimStatements, pagesReadBy } from '../support/pages-read.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';
import {
  type BareEngine,
  CONVERSION,
  createBareEngine,
  insertDueCallback,
  insertDueEffect,
  insertDuePoll,
} from './bare-engine.ts';

const compareText = (one: string, other: string): number => (one < other ? -1 : 1);

const LAST_PERSON = 'fefefefe-fefe-7efe-8efe-fefefefefefe';
const KINDS = ['effect', 'urgent', 'callback', 'poll'] as const;

const sent = vi.spyOn(Client.prototype, 'query');

const database = useDatabase();
let engine: BareEngine;

beforeAll(async () => {
  await fill(database.url, ...finished);
});
beforeEach(async () => {
  engine = await createBareEngine(database.url, { deadlines: noDeadlines });
});
afterEach(async () => {
  for (const kind of KINDS) await deleteDue(kind);
  await engine.close();
});
afterAll(async () => {
  sent.mockRestore();
});

const claimOf = (kind: Claimable, claim: Partial<Claim> = {}) =>
  claimOnce(engine.db, kind, { limit: 10, ...claim });

/** Pages of nightly runs are claimed by job. They have no users who take turns. */
type Claimable = Exclude<AnyClaimable, 'page'>;

const insertOf: Record<Claimable, (userId: string) => Promise<unknown>> = {
  effect: (userId) => insertDueEffect(engine, { userId }),
  urgent: (userId) => insertDueEffect(engine, { ...CONVERSION, userId }),
  callback: (userId) => insertDueCallback(engine, new Date(0), userId),
  poll: (userId) => insertDuePoll(engine, new Date(0), userId),
};

/** Deletes what is due and inserts rows for this many users, `each` rows per user. Finished rows of other users stay. */
async function refill(kind: Claimable, people: number, each = 1, laterSeconds = 0): Promise<void> {
  await deleteDue(kind);
  await add(kind, people, each, laterSeconds);
}

/** Inserts `each` rows for this many users. They have been due for a minute, or become due `laterSeconds` later. */
async function add(kind: Claimable, people: number, each = 1, laterSeconds = 0): Promise<void> {
  const person = sql`md5(person::text)::uuid`;
  const id = sql`md5(format('%s of %s in %s', nth, person, ${laterSeconds}::int))::uuid`;
  const dueAt = sql`now() + make_interval(secs => ${laterSeconds - 60})`;
  const rows = sql`generate_series(1, ${people}::int) person, generate_series(1, ${each}::int) nth`;
  const inserts = {
    effect: sql`insert into effects (id, user_id, subject_kind, subject_id, seq, type, params, due_at, created_at)
      select ${id}, ${person}, 'bank_details', ${id}, 1, 'validateBankDetails', '{}', ${dueAt}, now() from ${rows}`,
    urgent: sql`insert into effects
      (id, user_id, subject_kind, subject_id, seq, type, params, due_at, urgent_until, created_at)
      select ${id}, ${person}, 'pix_payment', ${id}, 1, 'startConversion', '{}', ${dueAt}, now() + interval '1 minute', now()
      from ${rows}`,
    callback: sql`insert into webhook_events
      (id, provider, identity, event_type, payload_sealed, received_at, due_at, user_id)
      select ${id}, 'a provider', sha256(${id}::text::bytea), 'payout.updated', '', now(), ${dueAt}, ${person} from ${rows}`,
    poll: sql`insert into provider_resources
      (handle, kind, user_id, subject_kind, subject_id, next_poll_at, created_at)
      select ${id}, 'payout', ${person}, 'pix_payment', ${id}, ${dueAt}, now() from ${rows}`,
  };
  await inserts[kind].execute(engine.db);
  await sql`analyze ${sql.table(tableOf[kind])}`.execute(engine.db);
}

const FINISHED = 'generate_series(1, 20000) nth';
/** Inserts the finished rows of each table, which stay there for all tests. */
const finished = [
  `insert into effects
    (id, user_id, subject_kind, subject_id, seq, type, params, status, finished_at, created_at)
    select md5(nth::text)::uuid, md5(nth::text)::uuid, 'bank_details', md5(nth::text)::uuid, 1, 'validateBankDetails', '{}',
      'done', now(), now() from ${FINISHED}`,
  `insert into webhook_events
    (id, provider, identity, event_type, payload_sealed, received_at, status, processed_at)
    select md5(nth::text)::uuid, 'a provider', sha256(nth::text::bytea), 'payout.updated', '', now(), 'applied', now() from ${FINISHED}`,
  `insert into provider_resources (handle, kind, user_id, subject_kind, subject_id, created_at)
    select md5(nth::text)::uuid, 'payout', md5(nth::text)::uuid, 'pix_payment', md5(nth::text)::uuid, now() from ${FINISHED}`,
];

/** How many pages a claim with room for everything reads, with the generic plan that a prepared statement gets. */
async function pagesRead(kind: Claimable): Promise<number> {
  sent.mockClear();
  await claimOf(kind, { limit: 1_000 });
  const statements = claimStatements(sent);
  // Undo what the claim changed and remove the dead row versions. A rebuilt index has no pages that other rows have split or
  // emptied.
  const table = sql.table(tableOf[kind]);
  await sql`update ${table} set leased_by = null where leased_by is not null`.execute(engine.db);
  await sql`vacuum ${table}`.execute(engine.db);
  await sql`reindex table ${table}`.execute(engine.db);
  return pagesReadBy(database.url, statements);
}

const tableOf = {
  effect: 'effects',
  urgent: 'effects',
  callback: 'webhook_events',
  poll: 'provider_resources',
} as const satisfies Record<Claimable, string>;

const deleteDue = (kind: Claimable) => {
  const dueAt = kind === 'poll' ? sql`next_poll_at` : sql`due_at`;
  return sql`delete from ${sql.table(tableOf[kind])} where ${dueAt} is not null`.execute(engine.db);
};

/** The pages that a claim reads vary a little with the rows. A claim that reads all rows reads several times as many pages. */
const AS_MANY = 1.5;

function byUser(works: Work[]): number[] {
  const users = works.map(({ userId }) => userId);
  return [...new Set(users)].map((user) => users.filter((one) => one === user).length);
}

describe.each(KINDS)('a claim (%s)', (kind) => {
  test('a claim reads as many pages for 10,000 users as for 200', async () => {
    // The number of rows is the same, so that the indexes are equally deep.
    await refill(kind, 200, 1);
    await add(kind, 200, 49, 3_600);
    const few = await pagesRead(kind);
    await refill(kind, 10_000);
    expect(await pagesRead(kind)).toBeLessThanOrEqual(AS_MANY * few);
  });

  test('a claim reads as many pages for 10,000 rows of one user as for 400', async () => {
    await refill(kind, 1, 400);
    const few = await pagesRead(kind);
    await refill(kind, 1, 10_000);
    expect(await pagesRead(kind)).toBeLessThanOrEqual(AS_MANY * few);
  });

  test('a claim reads less for 10,000 users whose rows are due later than for 200 whose rows are due', async () => {
    await refill(kind, 200);
    const few = await pagesRead(kind);
    await refill(kind, 10_000, 1, 3_600);
    expect(await pagesRead(kind)).toBeLessThan(few);
  });

  test('a claim takes two rows of each user, and the next claim continues behind the rows that it examined', async () => {
    await refill(kind, 3, 150);
    const first = await claimOf(kind);
    expect(byUser(first.works)).toEqual([2, 2, 2]);
    const second = await claimOf(kind, { after: first.next });
    expect(byUser(second.works)).toEqual([2, 2, 2]);
    // The third claim examines the last 50 rows.
    expect((await claimOf(kind, { after: second.next })).next).toBeNull();
  });

  test('a claim with little room leaves the rest to the next claim', async () => {
    await refill(kind, 10);
    const first = await claimOf(kind, { limit: 4 });
    const rest = await claimOf(kind, { limit: 100, after: first.next });
    expect([first.works.length, rest.works.length]).toEqual([4, 6]);
  });

  test('four processes that claim concurrently never take the same row, and together they serve every user', async () => {
    await refill(kind, 450, 3);
    const claimAll = async (): Promise<Work[]> => {
      const all: Work[] = [];
      for (let after: Place | null = null, rounds = 0; rounds < 3; ) {
        const claimed: Claimed | null = await claims[kind](engine.db, {
          owner: newId(),
          limit: 16,
          excludedTypes: [],
          excludedUsers: [],
          after,
          now: new Date(),
        });
        // Another process claims this kind at this moment.
        if (claimed === null) continue;
        all.push(...claimed.works);
        after = claimed.next;
        if (after === null) rounds += 1;
      }
      return all;
    };
    const taken = (await Promise.all([claimAll(), claimAll(), claimAll(), claimAll()])).flat();
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
    expect(new Set(taken.map(({ userId }) => userId)).size).toBe(450);
  });

  test('a claim takes the other rows while another database transaction has locked one', async () => {
    await refill(kind, 3, 1);
    const [first] = (await claimOf(kind, { limit: 1 })).works;
    await sql`update ${sql.table(tableOf[kind])} set leased_by = null`.execute(engine.db);
    await engine.db.transaction().execute(async (tx) => {
      const id = sql.id(kind === 'poll' ? 'handle' : 'id');
      await sql`select from ${sql.table(tableOf[kind])} where ${id} = ${first?.id} for update`.execute(tx);
      const { works } = await claimOf(kind);
      expect(works).toHaveLength(2);
      expect(works.map((work) => work.id)).not.toContain(first?.id);
    });
  });

  test('a claim takes nothing and does not wait while another process claims the same kind', async () => {
    await refill(kind, 3);
    await engine.db.transaction().execute(async (tx) => {
      await tryLockClaims[kind === 'urgent' ? 'effect' : kind](tx, {});
      await expect(claimOf(kind)).rejects.toThrow('another process claims this kind of work');
    });
    expect((await claimOf(kind)).works).toHaveLength(3);
  });
});

test.each(['callback', 'poll', 'effect'] as const)(
  'a pile of one user’s work that is due earlier does not delay another user’s work (%s)',
  async (kind) => {
    const ada = newId();
    const { letGo } = engine.hold(({ userId }) => userId === ada);
    for (let due = 0; due < 250; due += 1) await insertOf[kind](ada);
    await insertOf[kind](LAST_PERSON);
    await until(async () => {
      await engine.tick();
      return engine.begun.some(({ userId }) => userId === LAST_PERSON);
    }, Boolean);
    // The work that has begun does not end meanwhile, and the rest of the pile waits.
    expect(engine.begun.length).toBeLessThan(250);
    letGo();
  },
);

test('a claim of polls takes two rows of each user, and the next claim continues with the polls that were due later', async () => {
  const people = Array.from({ length: 3 }, () => newId());
  for (const [nth, person] of people.entries())
    for (let rows = 0; rows < 150; rows += 1) await insertDuePoll(engine, new Date(nth), person);
  const [ada, bea, cleo] = people;
  const first = await claimOf('poll');
  expect(first.works.map(({ userId }) => userId)).toEqual([ada, ada, bea, bea]);
  const second = await claimOf('poll', { after: first.next });
  expect(second.works.map(({ userId }) => userId)).toEqual([bea, bea, cleo, cleo]);
});

test('paused work of many users does not delay other work', async () => {
  engine.paused.add('startPayout');
  await refill('effect', 450);
  await sql`update effects set type = 'startPayout' where due_at is not null`.execute(engine.db);
  await insertDueEffect(engine, { userId: LAST_PERSON });
  await until(async () => {
    await engine.tick();
    return engine.begun.length;
  }, Boolean);
  expect(engine.begun.map(({ userId }) => userId)).toEqual([LAST_PERSON]);
});

test('callbacks of unknown users share one turn and do not delay known users', async () => {
  for (let due = 0; due < 30; due += 1) await insertDueCallback(engine, new Date(0), null);
  await insertDueCallback(engine, new Date(), LAST_PERSON);
  const { works } = await claimOf('callback');
  expect(works.map(({ userId }) => userId ?? 'unknown').toSorted(compareText)).toEqual([
    LAST_PERSON,
    'unknown',
    'unknown',
  ]);
});

test('callbacks of unknown users are claimed while known users are at their limit', async () => {
  await insertDueCallback(engine, new Date(0), null);
  await insertDueCallback(engine, new Date(0), LAST_PERSON);
  const { works } = await claimOf('callback', { excludedUsers: [LAST_PERSON] });
  expect(works.map(({ userId }) => userId)).toEqual([null]);
});
