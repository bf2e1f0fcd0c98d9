// Database connections that freeze: what they were for goes on over others, and no row stays with a process that does not know
// of it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  COMMIT,
  type DatabaseProxy,
  type Fate,
  startDatabaseProxy,
} from '../../scripts/database-proxy/database-proxy.ts';
import { CommitUnanswered } from '../../src/database/db-transaction.ts';
import { servingDeadlines } from '../../src/database/deadlines.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import {
  type BareEngine,
  CONVERSION,
  commitEffect,
  createBareEngine,
  deleteWork,
  effectsIn,
  insertDueEffect,
} from './bare-engine.ts';

/** Words of the statement that claims effects, of which the first one claims what is urgent. A connection is told them once: then it has a name for the statement. */
const CLAIM = 'with recursive people as';
const WITHIN_MS = 60_000;
const SILENT = 'silent';

let database: TestDatabase;
let proxy: DatabaseProxy;
/** Reads and writes what the test needs, past the proxy; it never ticks. */
let direct: BareEngine;
let engine: BareEngine;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  direct = await createBareEngine(database.url);
});
beforeEach(async () => {
  engine = await createBareEngine(proxy.url, { deadlines: { ...servingDeadlines, statementMs: 1_000 } });
});
afterEach(async () => {
  await engine.close();
  await deleteWork(direct);
});
afterAll(async () => {
  await direct.close();
  await proxy.close();
  await database.drop();
});

/** A frozen connection makes a tick fail; the next one follows, as it does every second. */
const ticksUntilDone = () =>
  until(
    async () => {
      await engine.tick().catch(() => undefined);
      return effectsIn(direct);
    },
    (effects) => effects.every(({ status }) => status === 'done'),
    WITHIN_MS,
  );

describe('a claim', () => {
  it('whose answer is lost leaves rows that the process does not know of: its next tick takes them up', async () => {
    await insertDueEffect(direct, CONVERSION);
    const claim = proxy.freezeAt(CLAIM, 'arrives');
    await expect(engine.tick()).rejects.toThrow(SILENT);
    expect(claim.hasFrozen()).toBe(true);
    expect(await effectsIn(direct)).toMatchObject([{ leased_by: engine.owner(), lease_token: 1 }]);
    expect(engine.begun).toEqual([]);
    await ticksUntilDone();
    expect(engine.begun).toMatchObject([{ token: 2 }]);
    expect(await effectsIn(direct)).toMatchObject([{ attempts: 0, last_unknown_at: null }]);
  });

  it('that is lost itself leaves the rows due', async () => {
    await insertDueEffect(direct, CONVERSION);
    const claim = proxy.freezeAt(CLAIM, 'is lost');
    await expect(engine.tick()).rejects.toThrow(SILENT);
    expect(claim.hasFrozen()).toBe(true);
    expect(await effectsIn(direct)).toMatchObject([{ leased_by: null, lease_token: 0 }]);
    await ticksUntilDone();
    expect(engine.begun).toMatchObject([{ token: 1 }]);
  });
});

const fates: [string, Fate, number][] = [
  ['arrives, and its answer is lost: the work is taken up by the next tick', 'arrives', 1],
  ['is lost itself: there is no work', 'is lost', 0],
];

describe('a COMMIT of work', () => {
  it.each(fates)('that %s', async (_what, fate, rows) => {
    const commit = proxy.freezeAt(COMMIT, fate);
    await expect(commitEffect(engine)).rejects.toThrow(CommitUnanswered);
    expect(commit.hasFrozen()).toBe(true);
    // Not before it is certain that it was committed.
    expect(engine.begun).toEqual([]);
    await ticksUntilDone();
    expect(await effectsIn(direct)).toHaveLength(rows);
    expect(engine.begun).toHaveLength(rows);
    expect(engine.begun.every(({ token }) => token === 2)).toBe(true);
  });
});

describe('every connection of a process, while work is in progress', () => {
  it('its outcome is recorded over another one, or the work is carried out again under a new token', async () => {
    const { letGo } = engine.hold(() => true);
    await commitEffect(engine);
    await until(
      async () => engine.begun.length,
      (many) => many === 1,
    );
    expect(proxy.freeze()).toBeGreaterThan(0);
    letGo();
    await ticksUntilDone();
    const [effect] = await effectsIn(direct);
    expect(effect?.lease_token).toBe(engine.begun.length);
    expect(effect?.attempts).toBe(engine.begun.length - 1);
  });
});
