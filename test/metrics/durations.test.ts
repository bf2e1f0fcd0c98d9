// The histograms of payments, callbacks, work and connections: what they measure is what the rows say.
import { expect, test } from 'vitest';
import { createOutbox, transaction } from '../../src/outbox/hand-off.ts';
import { createPool, observedPool } from '../../src/platform/database/pool.ts';
import { createOrm, dbOf } from '../../src/tables/orm.ts';
import { findServerRole } from '../../src/tables/server.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const startedAt = performance.now();

const { world, ada } = useWorld({ deposit: '1000.00' });

const seriesOf = (series: string) => valueOf(world.service.app.metrics.registry, series);
/** @returns the seconds for which this file has run: no wait in it can be longer. */
const elapsed = (): number => (performance.now() - startedAt) / 1_000;

test('the duration of a payment is counted by its outcome, from its confirmation', async () => {
  const ids = [await pay(ada, await quote(ada, 10)), await pay(ada, await quote(ada, 11))];
  for (const id of ids) await reaches(ada, id, 'completed');
  await until(
    () => seriesOf('ponte_payment_duration_seconds_count{outcome="completed"}'),
    (count) => count === ids.length,
  );
  const rows = await byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .select(['created_at', 'state_entered_at'])
    .where('id', 'in', ids)
    .execute();
  const seconds = rows.map((row) => (row.state_entered_at.getTime() - row.created_at.getTime()) / 1_000);
  expect(await seriesOf('ponte_payment_duration_seconds_sum{outcome="completed"}')).toBeCloseTo(
    seconds.reduce((sum, one) => sum + one, 0),
    3,
  );
});

const countOf = (outcome: string) => seriesOf(`ponte_payment_duration_seconds_count{outcome="${outcome}"}`);
const failedWithin = (seconds: number) =>
  seriesOf(`ponte_payment_duration_seconds_bucket{le="${seconds}",outcome="payout_failed"}`);

test('a payment whose payout fails is counted then, and again when a retry completes it', async () => {
  const toKey = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 12), toKey);
  await reaches(ada, id, 'payout_failed');
  await until(
    () => countOf('payout_failed'),
    (count) => count === 1,
  );
  const completed = await countOf('completed');
  // A minute passes before the retry, so the second duration is longer.
  world.clock.advance(61_000);
  await call(world, 'POST', `/pix/payments/${id}/retry`, { token: ada.token });
  await until(
    () => countOf('payout_failed'),
    (count) => count === 2,
  );
  expect(await countOf('completed')).toBe(completed);
  expect([await failedWithin(60), await failedWithin(86_400)]).toEqual([1, 2]);
});

test('a transition whose commit fails counts no payment', async () => {
  const reached: string[] = [];
  const outbox = createOutbox(({ outcome }) => void reached.push(outcome));
  const ended = { lifecycle: 'pix_payment', reason: null, residues: null, seconds: 1 } as const;
  const { db } = world.service.app;
  const refused = transaction({ db, outbox }, async (tx) => {
    tx.handOff.reaches({ ...ended, outcome: 'completed' });
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(reached).toEqual([]);
  await transaction({ db, outbox }, async (tx) => tx.handOff.reaches({ ...ended, outcome: 'failed' }));
  expect(reached).toEqual(['failed']);
});

test('the lag of a callback is counted by its status, from its receipt', async () => {
  const { db } = world.service.app;
  const rows = await until(
    () => byTable(db).selectFrom('webhook_events').selectAll().execute(),
    (events) => events.length > 0 && events.every(({ status }) => status !== 'received'),
  );
  // An event without a meaning here is ignored as it is stored. No attempt is made to process it.
  const processed = rows.filter(({ attempts }) => attempts > 0);
  const statuses = new Set(processed.map(({ status }) => status));
  expect(statuses).toContain('applied');
  for (const status of statuses) {
    const each = processed.filter((row) => row.status === status);
    const atLeast = each
      .map((row) => ((row.processed_at?.getTime() ?? 0) - row.received_at.getTime()) / 1_000)
      .reduce((sum, one) => sum + one, 0);
    await until(
      () => seriesOf(`ponte_callback_lag_seconds_count{status="${status}"}`),
      (count) => count === each.length,
    );
    const sum = await seriesOf(`ponte_callback_lag_seconds_sum{status="${status}"}`);
    expect(sum).toBeGreaterThanOrEqual(atLeast - 0.001 * each.length);
    expect(sum).toBeLessThan(elapsed() * each.length);
  }
});

test('the wait of work and the wait for a connection are counted while a service works', async () => {
  for (const kind of ['effect', 'callback'])
    expect(await seriesOf(`ponte_outbox_wait_seconds_count{kind="${kind}"}`)).toBeGreaterThan(0);
  expect(await seriesOf('ponte_database_connection_wait_seconds_count{pool="serving"}')).toBeGreaterThan(0);
});

test('a statement that waits for the only connection of its pool is measured, and so is one that gets none', async () => {
  const waits: number[] = [];
  const pool = createPool(world.databaseUrl, 1);
  const orm = await createOrm(
    pool,
    observedPool(pool, (seconds) => void waits.push(seconds)),
  );
  const taken = await pool.connect();
  const waiting = findServerRole(dbOf(orm), {});
  await until(
    async () => pool.waitingCount,
    (count) => count === 1,
  );
  const waitsSince = performance.now();
  expect(waits).toEqual([]);
  const releasedAt = performance.now();
  taken.release();
  await waiting;
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual((releasedAt - waitsSince) / 1_000);
  expect(waits[0]).toBeLessThan(elapsed());
  await orm.close(true);
  await expect(findServerRole(dbOf(orm), {})).rejects.toThrow('after calling end on the pool');
  expect(waits).toHaveLength(2);
});
