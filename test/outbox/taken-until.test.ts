// A claim begins at the time until which all work has been taken, so it reads as little while an old snapshot is open as without one.
// Work that became due earlier after all is found within a minute.
import { type RawBuilder, sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NIL_UUID } from '../../src/domain/ids.ts';
import type { Claim, Claimable } from '../../src/outbox/claim.ts';
import { createTakenUntil } from '../../src/outbox/taken-until.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { claimOnce } from '../support/claim-once.ts';
import { claimStatements, pagesReadBy } from '../support/pages-read.ts';
import { until } from '../support/until.ts';
import { insertDueEffect } from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const LEFT_USER = 'fefefefe-fefe-7efe-8efe-fefefefefefe';

const sent = vi.spyOn(Client.prototype, 'query');

const { engine, database } = useBareEngine({ deadlines: noDeadlines });

afterAll(() => sent.mockRestore());

const claim = (options: Partial<Claim> = {}, kind: Claimable = 'effect') =>
  claimOnce(engine.db, kind, options);

/** Makes everything that is due become due an hour earlier. */
const makeOlder = () => sql`update effects set due_at = due_at - interval '1 hour'`.execute(engine.db);

const HOUR_MS = 3_600_000;
/** Commits may be this late. */
const LATE_MS = 15_000;

describe('a claim', () => {
  test('a claim that takes everything says so until a few seconds ago, because commits may be late', async () => {
    await insertDueEffect(engine);
    await makeOlder();
    const before = Date.now();
    const { works, takenUntil } = await claim();
    expect(works).toHaveLength(1);
    expect(takenUntil.getTime()).toBeGreaterThanOrEqual(before - LATE_MS);
    expect(takenUntil.getTime()).toBeLessThanOrEqual(Date.now() - LATE_MS);
  });

  test.each([
    ['of a user at the limit', { excludedUsers: [LEFT_USER] }],
    ['of a type at its limit', { excludedTypes: ['validateBankDetails'] }],
    ['without room', { limit: 0 }],
  ])('an effect %s counts as left', async (_name, parameters) => {
    await insertDueEffect(engine, { userId: LEFT_USER });
    await makeOlder();
    const { works, takenUntil } = await claim(parameters);
    expect(works).toEqual([]);
    expect(takenUntil.getTime()).toBeLessThanOrEqual(Date.now() - HOUR_MS);
  });

  test('an effect whose row another transaction has locked counts as left', async () => {
    await insertDueEffect(engine);
    await makeOlder();
    const { works, takenUntil } = await engine.db.transaction().execute(async (tx) => {
      await sql`select from effects for update`.execute(tx);
      return claim();
    });
    expect(works).toEqual([]);
    expect(takenUntil.getTime()).toBeLessThanOrEqual(Date.now() - HOUR_MS);
  });

  test('an effect of a paused type does not count as left', async () => {
    await insertDueEffect(engine);
    await makeOlder();
    const types = ['validateBankDetails'];
    const before = Date.now();
    const { works, takenUntil } = await claim({ excludedTypes: types, pausedTypes: types });
    expect(works).toEqual([]);
    expect(takenUntil.getTime()).toBeGreaterThanOrEqual(before - LATE_MS);
  });

  test.each<[Claimable, RawBuilder<unknown>, RawBuilder<unknown>]>([
    [
      'effect',
      sql`insert into effects
        (id, user_id, subject_kind, subject_id, seq, type, params, due_at, created_at)
        select gen_random_uuid(), gen_random_uuid(), 'bank_details', gen_random_uuid(), 1, 'validateBankDetails', '{}',
          now() - interval '1 minute', now() from generate_series(1, 5000)`,
      sql`update effects set status = 'done', due_at = null`,
    ],
    [
      'poll',
      sql`insert into provider_resources
        (handle, kind, user_id, subject_kind, subject_id, next_poll_at, created_at)
        select gen_random_uuid(), 'payout', gen_random_uuid(), 'pix_payment', gen_random_uuid(),
          now() - interval '1 minute', now() from generate_series(1, 5000)`,
      sql`update provider_resources set next_poll_at = now() + interval '10 seconds'`,
    ],
  ])(
    'a claim (%s) reads as many pages with an old snapshot open as without',
    async (kind, insert, finish) => {
      const since = (await claim({}, kind)).takenUntil;
      const before = await pagesRead(kind, since);
      const snapshot = new Client({ connectionString: database.url });
      await snapshot.connect();
      await snapshot.query('begin isolation level repeatable read; select count(*) from effects');
      await insert.execute(engine.db);
      await finish.execute(engine.db);
      const withSnapshot = { all: await pagesRead(kind, null), recent: await pagesRead(kind, since) };
      await snapshot.end();
      expect(withSnapshot.all).toBeGreaterThan(100);
      expect(withSnapshot.recent).toBeLessThanOrEqual(before + 10);
    },
  );
});

/** The pages that a claim from this time reads, with the generic plan that a prepared statement gets. */
async function pagesRead(kind: Claimable, since: Date | null): Promise<number> {
  sent.mockClear();
  await claim({ after: since && { at: since, id: NIL_UUID } }, kind);
  return pagesReadBy(database.url, claimStatements(sent));
}

test.each([
  ['just became due', () => Promise.resolve()],
  ['has been due for an hour', makeOlder],
])('an engine resumes a lease of work that %s if it lacks it at two ticks', async (_name, change) => {
  await insertDueEffect(engine);
  await change();
  await claim({ owner: engine.owner() });
  // The response to the claim may arrive after the first tick.
  await engine.tick();
  expect(engine.begun).toEqual([]);
  await engine.tick();
  expect(engine.begun).toMatchObject([{ token: 2 }]);
});

test('an engine resumes a leased poll that a callback has made superfluous, so that its lease ends', async () => {
  await sql`insert into provider_resources (handle, kind, user_id, subject_kind, subject_id, next_poll_at, created_at)
    values (gen_random_uuid(), 'payout', gen_random_uuid(), 'pix_payment', gen_random_uuid(), now(), now())`.execute(
    engine.db,
  );
  await claim({ owner: engine.owner() }, 'poll');
  await sql`update provider_resources set next_poll_at = null`.execute(engine.db);
  await engine.tick();
  await engine.tick();
  expect(engine.begun).toMatchObject([{ kind: 'poll', token: 2 }]);
});

test('an engine runs effects of a type that was paused and is not any more', async () => {
  engine.paused.add('validateBankDetails');
  await engine.tick();
  await insertDueEffect(engine);
  await makeOlder();
  await engine.tick();
  expect(engine.begun).toEqual([]);
  engine.paused.clear();
  await until(async () => {
    await engine.tick();
    return engine.begun.length;
  }, Boolean);
});

describe('the time until which all work is taken', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const [early, late] = [new Date(1_000), new Date(2_000)];

  test('the first look is from the beginning, and the next one from the earliest time that was left', () => {
    const taken = createTakenUntil();
    expect(taken.begin()).toBeNull();
    for (const time of [late, early]) taken.looked(time, false);
    taken.looked(late, true);
    expect(taken.begin()).toEqual(early);
  });

  test('a look that has not ended changes nothing', () => {
    const taken = createTakenUntil();
    taken.begin();
    taken.looked(early, true);
    taken.begin();
    taken.looked(late, false);
    expect(taken.begin()).toEqual(early);
  });

  test('once a minute, a look is from the beginning', () => {
    const taken = createTakenUntil();
    taken.begin();
    taken.looked(late, true);
    vi.advanceTimersByTime(59_000);
    expect(taken.begin()).toEqual(late);
    vi.advanceTimersByTime(1_000);
    expect(taken.begin()).toBeNull();
    // A look from the beginning that failed is not repeated before the next minute.
    expect(taken.begin()).toEqual(late);
  });

  test('after work was left out on purpose, the next look is from the beginning', () => {
    const taken = createTakenUntil();
    taken.begin();
    taken.looked(late, true);
    taken.forget();
    expect(taken.begin()).toBeNull();
  });

  test('after work was left out on purpose by a look in progress, the next look is from the beginning', () => {
    const taken = createTakenUntil();
    taken.begin();
    taken.forget();
    taken.looked(late, true);
    expect(taken.begin()).toBeNull();
  });
});
