// The servers of the failover drill, with the service's pool in front of them: a primary, its standby, and a promotion.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { query } from '../../harness/database/query.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { startCluster } from '../../proof/failover/cluster.ts';
import { killServer, startPrimary, startStandby } from '../../proof/failover/servers.ts';
import { CommitUnanswered, inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import { servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { isDatabaseUnreachable } from '../../src/platform/database/unreachable.ts';
import { until } from '../support/until.ts';

type Tables = { accepted: { id: number } };

let folder: string;
let endings: (() => Promise<void>)[];
const atEnd = (ending: () => Promise<void>): void => void endings.push(ending);

beforeEach(() => {
  folder = temporaryFolder('failover-test');
  endings = [];
});
afterEach(async () => {
  for (const ending of endings.toReversed()) await ending();
  rmSync(folder, { recursive: true, force: true });
});

function dbAt(url: string): Kysely<Tables> {
  // A statement is given up after two seconds, so that the test does not take longer.
  const pool = createPool(url, 2, { ...servingDeadlines, statementMs: 1_000 });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  atEnd(() => db.destroy());
  return db;
}

const accept = (db: Kysely<Tables>, id: number): Promise<void> =>
  inDbTransaction(db, async (tx) => void (await tx.insertInto('accepted').values({ id }).execute()));

const acceptedIn = async (db: Kysely<Tables>): Promise<number[]> =>
  (await db.selectFrom('accepted').select('id').orderBy('id').execute()).map(({ id }) => id);

test('the service refuses a connection to a standby, and a commit that its synchronous standby does not confirm is not confirmed', async () => {
  const primary = await startPrimary(join(folder, 'primary'), atEnd);
  const standby = await startStandby(primary, {
    folder: join(folder, 'standby'),
    primaryUrl: primary.url,
    atEnd,
  });
  const db = dbAt(primary.url);
  await query(primary.url, 'create table accepted (id int)');
  await accept(db, 1);
  await until(
    () => query(standby.url, 'select from accepted').catch(() => []),
    (rows) => rows.length === 1,
  );
  const refused: unknown = await acceptedIn(dbAt(standby.url)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: '25006' });
  expect(isDatabaseUnreachable(refused)).toBe(true);

  await query(primary.url, `alter system set synchronous_standby_names = '*'`);
  await query(primary.url, 'select pg_reload_conf()');
  await until(
    () => query<{ state: string }>(primary.url, 'select sync_state as state from pg_stat_replication'),
    ([found]) => found?.state === 'sync',
  );
  await accept(db, 2);
  await killServer(standby);
  await expect(accept(db, 3)).rejects.toThrow(CommitUnanswered);
  expect(await acceptedIn(db)).toEqual([1, 2]);
});

test('after the primary is killed, its synchronous standby has every confirmed commit, and the service finds it at the same address', async () => {
  const cluster = await startCluster(join(folder, 'database'), { isSynchronous: true }, atEnd);
  const db = dbAt(cluster.url);
  await query(cluster.url, 'create table accepted (id int)');
  const confirmed: number[] = [];
  for (const round of [1, 2]) {
    await cluster.addStandby();
    for (let id = round * 10; id < round * 10 + 5; id += 1) {
      await accept(db, id);
      confirmed.push(id);
    }
    await cluster.failOver();
    const found = await until(
      () => acceptedIn(db).catch(() => null),
      (ids) => ids !== null,
    );
    expect(found).toEqual(confirmed);
  }
  await accept(db, 30);
  expect(await acceptedIn(db)).toEqual([...confirmed, 30]);
});
