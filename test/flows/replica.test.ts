// Lists are read from a streaming replica while it is close behind the primary; while it lags or is stopped, the primary is
// read. A person reads their own writes, and the caller's own row always comes from the primary.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../scripts/database-proxy/database-proxy.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { freePort } from '../../scripts/free-port.ts';
import { noDeadlines } from '../../src/database/deadlines.ts';
import { createOrm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import type { Replica } from '../../src/database/replica.ts';
import { migrate } from '../../src/database/schema.ts';
import { readFromReplica, readUserAndNewest } from '../../src/queries/lagging.ts';
import { transactionsOf } from '../../src/queries/transactions.ts';
import { call, faultIn } from '../support/http.ts';
import { type Person, pay, quote, reaches, verified, withdraw } from '../support/person.ts';
import { type StreamingReplica, startStreamingReplica } from '../support/streaming-replica.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const lists = [
  ['/transactions', 'from transactions where user_id'],
  ['/pix/payments', 'from pix_payments where user_id'],
  ['/withdraws', 'from withdraws where user_id'],
] as const;
const failing = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;

let folder: string;
let primary: EmbeddedDatabase;
let standby: StreamingReplica;
/** From the service to the replica. */
let way: DatabaseProxy;
let world: World;
let replica: Replica;
let ada: Person;
let payment: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-replica-'));
  chmodSync(folder, 0o755);
  primary = await startEmbeddedDatabase({ folder: join(folder, 'primary'), keep: false });
  const pool = createPool(primary.url, 2, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  await orm.close(true);
  standby = await startStreamingReplica(primary.url, join(folder, 'replica'));
  way = await startDatabaseProxy(standby.url);
  const port = String(await freePort());
  world = await startWorld({
    env: {
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URL: way.url,
      METRICS_PORT: port,
    },
  });
  replica = world.service.app.replica as Replica;
  ada = await verified(world, { deposit: '1000.00' });
  payment = await pay(ada, await quote(ada, 5));
  await reaches(ada, payment, 'completed');
  await withdraw(ada, 1_000);
}, 120_000);
afterEach(async () => {
  await standby.start();
  await standby.resume();
  await isClose(true);
});
afterAll(async () => {
  await world.stop();
  await way.close();
  await standby.stop();
  await primary.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const isClose = (expected: boolean) =>
  until(
    async () => replica.isClose(),
    (found) => found === expected,
  );
const list = (path: string) => call(world, 'GET', path, { token: ada.token });
const scrape = async () => (await fetch(`http://127.0.0.1:${world.env['METRICS_PORT']}/metrics`)).text();
const idsIn = async (path: string): Promise<string[]> => {
  const { status, text } = await list(path);
  expect([path, status]).toEqual([path, 200]);
  return (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
};

describe('a replica that is close behind', () => {
  it.each(lists)('serves the list of %s', async (path, statement) => {
    await until(
      async () => {
        expect(await idsIn(path)).not.toEqual([]);
        return standby.statements();
      },
      (statements) => statements.some((one) => one.includes(statement)),
    );
  });

  it('serves neither one payment, nor the person', async () => {
    for (const path of ['/me', '/kyc/status', `/pix/payments/${payment}`])
      expect([path, (await list(path)).status]).toEqual([path, 200]);
    const statements = await standby.statements();
    expect(statements.filter((one) => /from users|from "users"|kyc_verifications/.test(one))).toEqual([]);
  });

  it('changes nothing about faults: the caller is authenticated before the request is validated', async () => {
    const unknown = { token: await world.service.app.sessions.issue('0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46') };
    for (const query of ['', '?limit=0', '?cursor=x', '?x=1'])
      expect(faultIn(await call(world, 'GET', `/transactions${query}`, unknown))).toEqual([
        401,
        'unauthorized',
      ]);
    expect(faultIn(await list('/transactions?cursor=x'))).toEqual([400, 'invalid_request', '/query/cursor']);
  });
});

describe('a person reads their own writes, while the replica does not show them', () => {
  it('a payment and a withdrawal, in every list of theirs', async () => {
    await standby.pause();
    const [paid, withdrawn] = [await pay(ada, await quote(ada, 6)), await withdraw(ada, 1_100)];
    expect(await idsIn('/pix/payments')).toContain(paid);
    expect(await idsIn('/withdraws')).toContain(withdrawn);
    expect(await idsIn('/transactions')).toContain(withdrawn);
    await reaches(ada, paid, 'completed');
  });

  it('the retry of a failed payout', async () => {
    const failed = await pay(ada, await quote(ada, 7), failing);
    await reaches(ada, failed, 'payout_failed');
    // The replica shows the failure, and not what follows.
    await until(
      () => replica.db.selectFrom('pix_payments').select('state').where('id', '=', failed).execute(),
      ([row]) => row?.state === 'payout_failed',
    );
    await standby.pause();
    await ada.ponte.retryPayment(failed);
    const { text } = await list('/pix/payments');
    const shown = (JSON.parse(text) as { id: string; status: string }[]).find(({ id }) => id === failed);
    expect(shown?.status).not.toBe('payout_failed');
    await reaches(ada, failed, 'completed');
  });

  it('also where it is taken to be close: it is asked for the newest of their transactions', async () => {
    const { db } = world.service.app;
    const always: Replica = { ...replica, isClose: () => true, tryRead: (read) => read(replica.db) };
    const reads = { rows: transactionsOf(ada.userId, { limit: 10, after: null }), suffices: () => true };
    const readIt = async () => {
      const known = await readUserAndNewest(db, ada.userId);
      return known ? readFromReplica(always, known, reads) : null;
    };
    await until(readIt, (read) => read !== null);
    await standby.pause();
    await withdraw(ada, 1_200);
    expect(await readIt()).toBeNull();
    await standby.resume();
    const { rows } = (await until(readIt, (read) => read !== null)) ?? { rows: [] };
    expect(rows[0]).toMatchObject({ type: 'withdraw', source_amount_minor: 1_200 });
    // Nor where its rows do not suffice.
    expect(
      await readFromReplica(
        always,
        { user: { id: ada.userId }, newestId: null },
        { ...reads, suffices: () => false },
      ),
    ).toBeNull();
  });
});

describe('the primary is read', () => {
  it('while the replica lags', async () => {
    await standby.pause();
    const paid = await pay(ada, await quote(ada, 8));
    await reaches(ada, paid, 'completed');
    await isClose(false);
    const { text } = await list('/pix/payments');
    expect(JSON.parse(text)).toContainEqual(expect.objectContaining({ id: paid, status: 'completed' }));
    expect(replica.isClose()).toBe(false);
  });

  it('while connections to the replica are frozen', async () => {
    await Promise.all(lists.map(([path]) => idsIn(path)));
    expect(way.freeze()).toBeGreaterThan(0);
    for (const [path] of lists) expect(await idsIn(path)).not.toEqual([]);
  });

  it('while the replica is stopped; the metrics are counted there, too', async () => {
    await standby.stop();
    for (const [path] of lists) expect(await idsIn(path)).not.toEqual([]);
    await isClose(false);
    for (const [path] of lists) expect(await idsIn(path)).not.toEqual([]);
    await until(scrape, (text) => text.includes('ponte_database_up 1'));
  });
});
