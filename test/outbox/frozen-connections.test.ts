// Freezes database connections. The process continues over other connections, and no row stays leased to a process that does not
// know of it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  COMMIT,
  type DatabaseProxy,
  type Fate,
  startDatabaseProxy,
} from '../../harness/database-proxy/database-proxy.ts';
import { CommitUnanswered } from '../../src/platform/database/db-transaction.ts';
import { servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';
import {
  type BareEngine,
  CONVERSION,
  commitEffect,
  createBareEngine,
  deleteWork,
  effectsIn,
  insertDueEffect,
} from './bare-engine.ts';

/**
 * Text of the statement that claims effects. The first such claim of a tick takes urgent effects. A connection sends this text
 * once; after that it sends the name of the prepared statement.
 */
const CLAIM = 'where leased_by is null';
const WITHIN_MS = 60_000;
const SILENT = 'silent';

const database = useDatabase();
let proxy: DatabaseProxy;
/** Reads and writes directly, without the proxy. It never ticks. */
let direct: BareEngine;
let engine: BareEngine;

beforeAll(async () => {
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
});

/**
 * Ticks until all effects are done. A frozen connection makes a tick fail; the next tick follows, as it does every second in a
 * service.
 */
const ticksUntilDone = () =>
  until(
    async () => {
      await engine.tick().catch(() => undefined);
      return effectsIn(direct);
    },
    (effects) => effects.every(({ status }) => status === 'done'),
    WITHIN_MS,
  );

test('rows of a claim whose COMMIT is not answered are claimed again by the next tick of the process', async () => {
  await insertDueEffect(direct, CONVERSION);
  const claim = proxy.freezeAt(COMMIT, 'arrives');
  await expect(engine.tick()).rejects.toThrow(CommitUnanswered);
  expect(claim.hasFrozen()).toBe(true);
  expect(await effectsIn(direct)).toMatchObject([{ leased_by: engine.owner(), lease_token: 1 }]);
  expect(engine.begun).toEqual([]);
  await ticksUntilDone();
  expect(engine.begun).toMatchObject([{ token: 2 }]);
  expect(await effectsIn(direct)).toMatchObject([{ attempts: 0, last_unknown_at: null }]);
});

test('rows of a claim that never reaches the database stay due', async () => {
  await insertDueEffect(direct, CONVERSION);
  const claim = proxy.freezeAt(CLAIM, 'is lost');
  await expect(engine.tick()).rejects.toThrow(SILENT);
  expect(claim.hasFrozen()).toBe(true);
  expect(await effectsIn(direct)).toMatchObject([{ leased_by: null, lease_token: 0 }]);
  await ticksUntilDone();
  expect(engine.begun).toMatchObject([{ token: 1 }]);
});

const fates: [string, Fate, number][] = [
  ['arrives but is not answered leaves work that the next tick claims', 'arrives', 1],
  ['never arrives leaves no work', 'is lost', 0],
];

test.each(fates)('a COMMIT of work that %s', async (_what, fate, rows) => {
  const commit = proxy.freezeAt(COMMIT, fate);
  await expect(commitEffect(engine)).rejects.toThrow(CommitUnanswered);
  expect(commit.hasFrozen()).toBe(true);
  // Nothing begins before it is certain that the COMMIT succeeded.
  expect(engine.begun).toEqual([]);
  await ticksUntilDone();
  expect(await effectsIn(direct)).toHaveLength(rows);
  expect(engine.begun).toHaveLength(rows);
  expect(engine.begun.every(({ token }) => token === 2)).toBe(true);
});

test('when every connection freezes while work is in progress, its outcome is recorded over another one or the work runs again under a new token', async () => {
  const { letGo } = engine.hold(() => true);
  await commitEffect(engine);
  await until(
    async () => engine.begun.length,
    (count) => count === 1,
  );
  expect(proxy.freeze()).toBeGreaterThan(0);
  letGo();
  await ticksUntilDone();
  const [effect] = await effectsIn(direct);
  expect(effect?.lease_token).toBe(engine.begun.length);
  expect(effect?.attempts).toBe(engine.begun.length - 1);
});
