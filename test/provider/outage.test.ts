// The provider is unreachable for a while. Users are answered immediately, work waits without using up its attempts, operators see
// the outage, and everything continues within seconds when it is over.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { readWire } from '../../src/provider/wire.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { valueIn } from '../support/metrics.ts';
import { must, pay, quote, reaches, refusalIn } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf, transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const PATIENCE_MS = 30_000;

let payments: string[];
let heal: () => void;

const port = await freePort();
const metricsUrl = `http://127.0.0.1:${port}/metrics`;
const { world, proxy, ada, db } = useWorld({
  proxy: true,
  env: { METRICS_PORT: String(port), PROVIDER_TIMEOUT_MS: '4000' },
  deposit: '1000.00',
});

const metric = async (series: string) => valueIn(await (await fetch(metricsUrl)).text(), series);
/** The number of calls that the provider has received, except probes. */
const callsOfWork = () =>
  [...readWire().keys()]
    .filter((operation) => operation !== 'findOwners')
    .reduce((sum, operation) => sum + proxy.count(operation), 0);
const circuits = () => byTable(db()).selectFrom('open_circuits').selectAll().execute();
const effectsOf = (subjectIds: string[]) =>
  byTable(db())
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', 'in', subjectIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

test('the circuit opens when every call fails for a while, and its row and metric say so', async () => {
  const quotes = [await quote(ada, 10), await quote(ada, 11), await quote(ada, 12)];
  const faults = [...readWire().keys()].map((operation) => {
    const spoilt = { status: 503 };
    const times = Number.POSITIVE_INFINITY;
    // First the calls for accepted payments fail, and then every call.
    const isWrite = operation === 'createInternalTransfer' || operation === 'findInternalTransfers';
    return { spoil: () => proxy.spoil({ operation, spoilt, forwarded: false, times }), isWrite };
  });
  const first = faults.filter(({ isWrite }) => isWrite).map(({ spoil }) => spoil());
  payments = [];
  for (const one of quotes) payments.push(await pay(ada, one));
  const spoilt = [...first, ...faults.filter(({ isWrite }) => !isWrite).map(({ spoil }) => spoil())];
  heal = () => {
    for (const fault of spoilt) fault.heal();
  };

  const [row] = await until(
    async () => {
      world.clock.advance(15_000);
      await ada.api.GET('/me');
      return circuits();
    },
    ([shown]) => shown?.reason.includes('all (') === true,
    PATIENCE_MS,
  );
  expect(row?.process).toMatch(new RegExp(`:${process.pid}$`));
  expect(row?.reason).toMatch(/answered 503/);
  expect(await metric('ponte_provider_circuit_open{operation="all"}')).toBe(1);
});

test('users are answered immediately during an outage', async () => {
  const before = callsOfWork();
  const answers = await Promise.all([
    ada.api.GET('/me'),
    ada.api.POST('/pix/quote', { body: { amountBrl: 10 } }),
    ada.api.POST('/withdraws', { body: { amount: 100 } }),
  ]);
  expect(answers.slice(0, 2).map(refusalIn)).toEqual([
    [502, 'provider_unavailable'],
    [502, 'provider_unavailable'],
  ]);
  // No answer waits for a call: during an outage, one call a minute is let through besides the probes.
  expect(callsOfWork() - before).toBeLessThanOrEqual(1);
});

test('work waits during an outage: a call that is not sent does not count as an attempt, and leaves nothing in flight', async () => {
  const { id } = must(await ada.api.POST('/bank-details', { body: gbp }));
  const [waiting] = await until(
    () => effectsOf([id]),
    ([effect]) => effect !== undefined && effect.last_error !== null,
  );
  expect(waiting).toMatchObject({ status: 'queued', attempts: 0, last_unknown_at: null });
  expect(waiting?.last_error).toMatch(/not sent/);
  // The due time is by the database's clock, which is that of this machine.
  expect(waiting?.due_at?.getTime()).toBeLessThan(Date.now() + 10_000);

  // Calls sent before the circuit opened now also wait without a further attempt, however long the outage lasts.
  const turnedAway = await until(
    () => effectsOf(payments),
    (effects) => effects.every(({ last_error }) => last_error?.includes('not sent') === true),
    PATIENCE_MS,
  );
  const again = await until(
    () => effectsOf(payments),
    (effects) => effects.every(({ due_at }, at) => due_at?.getTime() !== turnedAway[at]?.due_at?.getTime()),
    PATIENCE_MS,
  );
  expect(again.map(({ attempts, last_unknown_at }) => [attempts, last_unknown_at])).toEqual(
    turnedAway.map(({ attempts, last_unknown_at }) => [attempts, last_unknown_at]),
  );
});

test('neither a callback nor a poll uses up its attempts during an outage', async () => {
  const body = JSON.stringify({
    event: 'payout.updated',
    updated_at: '2026-11-21T10:00:00Z',
    data: { uuid: crypto.randomUUID(), status: 'COMPLETED' },
  });
  const path = `/webhooks/provider/${world.webhookSecret}`;
  expect((await call(world, 'POST', path, { body })).status).toBe(200);
  const handle = (
    await byTable(db())
      .selectFrom('provider_resources')
      .select('handle')
      .where('leg', '=', 'direct')
      .executeTakeFirstOrThrow()
  ).handle;
  const { lease_token: token } = await byTable(db())
    .updateTable('provider_resources')
    .set({ poll_count: 5, next_poll_at: sql<Date>`now()`, leased_by: null })
    .where('handle', '=', handle)
    .returning('lease_token')
    .executeTakeFirstOrThrow();
  const resource = await until(
    () =>
      byTable(db())
        .selectFrom('provider_resources')
        .selectAll()
        .where('handle', '=', handle)
        .executeTakeFirstOrThrow(),
    ({ leased_by: process, lease_token: last }) => process === null && last > token,
    PATIENCE_MS,
  );
  expect(resource.poll_count).toBe(5);
  expect(resource.next_poll_at?.getTime()).toBeLessThan(Date.now() + 11_000);

  await until(
    () => metric('ponte_provider_calls_total{operation="getPayout",outcome="not_sent"}'),
    (count) => (count ?? 0) >= 1,
    PATIENCE_MS,
  );
  const event = await byTable(db())
    .selectFrom('webhook_events')
    .select(['status', 'attempts'])
    .orderBy('received_at', 'desc')
    .executeTakeFirstOrThrow();
  expect(event).toEqual({ status: 'received', attempts: 0 });
});

test('work continues within seconds when the provider is back, and everything is made once', async () => {
  const waiting = (await effectsOf(payments)).filter(({ status }) => status === 'queued');
  expect(waiting).toHaveLength(payments.length);
  for (const { due_at: dueAt } of waiting) expect(dueAt?.getTime()).toBeLessThan(Date.now() + 10_000);
  heal();
  await until(circuits, (rows) => rows.length === 0, PATIENCE_MS);
  for (const id of payments) await reaches(ada, id, 'completed');
  for (const id of payments) {
    expect(await transfersOf(world, id)).toHaveLength(1);
    expect(await payoutsOf(world, id)).toHaveLength(1);
  }
  expect(must(await ada.api.GET('/me')).balance?.currency).toBe('GBP');
  expect(await metric('ponte_provider_circuit_open{operation="all"}')).toBe(0);
});
