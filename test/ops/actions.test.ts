// The actions of operators. Each action runs once, however many operators call it concurrently, with its audit record in the same
// commit.
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { byTable } from '../support/by-table.ts';
import { valueIn } from '../support/metrics.ts';
import { workIn } from '../support/outbox.ts';
import { pay, postJson, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { auditOf, type CommandResult, OPERATOR, ops, opsAside, opsHere, paid } from './support.ts';

const { world, proxy, ada, db } = useWorld({
  proxy: true,
  env: { PROVIDER_TIMEOUT_MS: '5000' },
  deposit: '1000.00',
});

const here = (...args: string[]) => opsHere(world.service.app, args);
const isDone = ({ code, out }: CommandResult): boolean => code === 0 && out.startsWith('Done. ');
const isHarmless = ({ code, out, err }: CommandResult): boolean =>
  (code === 0 && out.startsWith('Nothing changed. ')) || /The payment is completed/.test(err);
const why = ['--reason', 'incident 7'];

test('`payments retry-payout` issues the payout again once when fifty operators call it concurrently, with one audit entry', async () => {
  const { id } = await paid(ada, 'recover', 'payout_failed');
  const processes = Array.from({ length: 3 }, () => opsAside(world, 'payments', 'retry-payout', id, ...why));
  const others = Array.from({ length: 47 }, (_, at) =>
    here('payments', 'retry-payout', id, ...why, '--operator', `operator-${at}`),
  );
  const results = await Promise.all([...processes, ...others]);
  expect(results.filter(isDone)).toHaveLength(1);
  // The later calls found the payment paying or completed.
  const late = results.filter((one) => !isDone(one));
  expect(late.filter((one) => !isHarmless(one))).toEqual([]);
  await reaches(ada, id, 'completed');
  expect(proxy.count('reissuePayout')).toBe(1);
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 2 }]);
  expect(await auditOf(world, id)).toEqual([
    {
      action: 'operator.payments retry-payout',
      user_id: ada.userId,
      details: {
        operator: expect.any(String),
        reason: 'incident 7',
        target: id,
        databaseUser: decodeURIComponent(new URL(world.databaseUrl).username),
        systemUser: userInfo().username,
      },
    },
  ]);
  const retries = await byTable(db())
    .selectFrom('transitions')
    .select(['cause_kind', 'event'])
    .where('subject_id', '=', id)
    .where('event', '=', 'retry')
    .execute();
  expect(retries).toEqual([{ cause_kind: 'operator', event: 'retry' }]);
});

test('`payments retry-payout` is refused in any other state and for an id that is not a payment', async () => {
  const { id, transactionId } = await paid(ada, 'joana', 'completed');
  expect(await here('payments', 'retry-payout', id, ...why)).toMatchObject({
    code: 1,
    err: /The payment is completed/,
  });
  expect(await here('payments', 'retry-payout', transactionId, ...why)).toMatchObject({
    code: 1,
    err: /no PIX payment/,
  });
  expect(await auditOf(world, id)).toEqual([]);
});

test('`payments retry-payout` changes nothing when its audit entry cannot be written', async () => {
  const { id } = await paid(ada, 'fail', 'payout_failed');
  await sql`alter table audit_events add constraint full_disk check (action not like 'operator.%') not valid`.execute(
    db(),
  );
  await expect(here('payments', 'retry-payout', id, ...why)).rejects.toThrow('full_disk');
  await sql`alter table audit_events drop constraint full_disk`.execute(db());
  await reaches(ada, id, 'payout_failed');
  expect(await payoutsOf(world, id)).toMatchObject([{ attempt: 1 }]);
});

test('`payments acknowledge` ends the alarm of a payment in manual_review and leaves it in the list, with the reason', async () => {
  const { id } = await paid(ada, 'refund', 'manual_review');
  const waiting = async () =>
    /^ +1 {2}payments in manual_review +payments --state/m.test((await here('status')).out);
  expect(await waiting()).toBe(true);
  expect(await alarms()).toEqual([1, expect.any(Number), 1]);
  const before = await rowOf(id);

  const results = await Promise.all([
    ops(world, 'payments', 'acknowledge', id, '--reason', 'Joana is paid by hand, ticket 9'),
    ...Array.from({ length: 9 }, () => here('payments', 'acknowledge', id, ...why)),
  ]);
  expect(results.filter(isDone)).toHaveLength(1);
  expect(results.filter((one) => !isDone(one) && !isHarmless(one))).toEqual([]);
  const [record, ...more] = await auditOf(world, id);
  expect(more).toEqual([]);
  expect(record).toMatchObject({ action: 'operator.payments acknowledge', user_id: ada.userId });

  expect(await waiting()).toBe(false);
  expect(await alarms()).toEqual([0, 0, 0]);
  const reason = String(record?.details['reason']);
  const [listed] = JSON.parse((await here('payments', '--state', 'manual_review', '--json')).out);
  expect(listed).toMatchObject({ id, state: 'manual_review', acknowledged: { reason } });
  expect((await here('payments')).out).toMatch(new RegExp(`^${id} .* payout_returned +${reason}`, 'm'));
  expect((await here('show', id)).out).toMatch(new RegExp(`^ +acknowledged .*: ${reason}$`, 'm'));
  expect((await here('payments', 'acknowledge', id, ...why)).out).toContain(`acknowledged before: ${reason}`);

  // The payment itself has not changed.
  const { acknowledged_seq, acknowledged_at, acknowledgement, ...after } = await rowOf(id);
  expect([acknowledged_seq, acknowledgement]).toEqual([before.seq, reason]);
  expect(acknowledged_at).toBeInstanceOf(Date);
  expect(before).toMatchObject(after);
});

test('`payments acknowledge` applies to one transition only: when the payment enters the state again, its alarm returns', async () => {
  const { id } = await paid(ada, 'refund', 'manual_review');
  expect(isDone(await here('payments', 'acknowledge', id, ...why))).toBe(true);
  expect((await here('overdue')).out).not.toContain(id);
  await sql`update pix_payments set seq = seq + 1 where id = ${id}`.execute(db());
  expect((await here('overdue')).out).toContain(id);
  expect((await here('payments', '--json')).out).toContain('"acknowledged": null');
  expect(isDone(await here('payments', 'acknowledge', id, ...why))).toBe(true);
  expect(await auditOf(world, id)).toHaveLength(2);
});

test('`payments acknowledge` is refused in any other state and for an id that is not a payment', async () => {
  const { id, transactionId } = await paid(ada, 'joana', 'completed');
  expect(await here('payments', 'acknowledge', id, ...why)).toMatchObject({
    code: 1,
    err: /The payment is completed: only manual_review/,
  });
  expect(await here('payments', 'acknowledge', transactionId, ...why)).toMatchObject({
    code: 1,
    err: /no PIX payment/,
  });
  expect(await auditOf(world, id)).toEqual([]);
});

test('`effects pause` stops one type and no other, no effect is lost, and all are sent after `effects resume`', async () => {
  expect((await ops(world, 'effects', 'pause', 'startPayout', ...why)).out).toMatch(
    /^Done\. startPayout is paused in every process/,
  );
  expect((await here('effects', 'pause', 'startPayout', ...why)).out).toMatch(/^Nothing changed/);
  const ids = [await pay(ada, await quote(ada, 10)), await pay(ada, await quote(ada, 11))];
  for (const id of ids) await reaches(ada, id, 'paying');
  const waiting = async () =>
    (await workIn(world)).filter(({ type, leasedBy }) => type === 'startPayout' && leasedBy === null);
  await until(waiting, (effects) => effects.length === 2);
  for (const id of ids) expect(await payoutsOf(world, id)).toEqual([]);

  expect((await ops(world, 'effects', 'resume', 'startPayout', ...why)).out).toMatch(
    /^Done\. startPayout is sent again/,
  );
  for (const id of ids) await reaches(ada, id, 'completed');
  for (const id of ids) expect((await effectOf(id, 'startPayout')).attempts).toBe(1);
  expect((await here('effects', 'resume', 'startPayout', ...why)).out).toMatch(/^Nothing changed/);
  expect((await auditOf(world, 'startPayout')).map(({ action }) => action)).toEqual([
    'operator.effects pause',
    'operator.effects resume',
  ]);
});

test('`effects pause` and `effects resume` refuse an unknown type and list the types', async () => {
  for (const verb of ['pause', 'resume']) {
    const { code, err } = await here('effects', verb, 'startPayouts', ...why);
    expect([code, err]).toEqual([2, expect.stringContaining('startConversion, startPayout, ')]);
  }
  expect(await byTable(db()).selectFrom('effect_pauses').selectAll().execute()).toEqual([]);
});

test('`webhooks replay` processes an unmatched callback once its resource exists', async () => {
  const { id } = await paid(ada, 'joana', 'completed');
  const [payout] = await payoutsOf(world, id);
  const gone = proxy.spoil({
    operation: 'getPayout',
    spoilt: { status: 404, code: 'not_found' },
    forwarded: false,
    about: payout?.uuid ?? '',
    times: 1_000,
  });
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/refund`, {});
  const event = await until(
    () => latestEvent('received'),
    // The callback was processed once and postponed, so the following update stays until the next attempt.
    (seen) => seen !== undefined && seen.attempts > 0,
  );
  if (!event) throw new Error('no callback');
  // This is the last attempt but one. After the next one the callback is unmatched.
  await byTable(db()).updateTable('webhook_events').set({ attempts: 5 }).where('id', '=', event.id).execute();
  await until(
    () => statusOf(event.id),
    (status) => status === 'unmatched',
  );
  gone.heal();
  expect((await ops(world, 'webhooks', 'replay', event.id, ...why)).out).toMatch(/^Done\. /);
  await reaches(ada, id, 'manual_review');
  await until(
    () => statusOf(event.id),
    (status) => status === 'applied',
  );
  expect((await here('webhooks', 'replay', event.id, ...why)).out).toMatch(
    /^Nothing changed\. The callback was applied before/,
  );
  expect(await auditOf(world, event.id)).toMatchObject([{ action: 'operator.webhooks replay' }]);
  expect(await here('webhooks', 'replay', randomUUID(), ...why)).toMatchObject({ code: 1 });
});

test('`effects requeue` tries an exhausted effect once more, which looks up its handle before it sends', async () => {
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const lost = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'drop',
    forwarded: true,
    silent: true,
    about,
  });
  const id = await pay(ada, await quote(ada, 21));
  await until(
    async () => lost.hits(),
    (hits) => hits === 1,
  );
  const effect = await until(
    () => effectOf(id),
    ({ attempts, leased_by: process }) => attempts === 1 && process === null,
  );
  await byTable(db())
    .updateTable('effects')
    .set({ status: 'exhausted', attempts: 150, due_at: null, leased_by: null })
    .where('id', '=', effect.id)
    .execute();
  const sent = proxy.count('createInternalTransfer', about);
  expect((await ops(world, 'effects', 'requeue', effect.id, ...why)).out).toMatch(/^Done\. /);
  await reaches(ada, id, 'completed');
  expect(await transfersOf(world, id)).toHaveLength(1);
  expect(proxy.count('createInternalTransfer', about)).toBe(sent);
  expect((await here('effects', 'requeue', effect.id, ...why)).out).toMatch(
    /^Nothing changed\. The effect has its outcome: done/,
  );
  expect(await auditOf(world, effect.id)).toMatchObject([
    { action: 'operator.effects requeue', user_id: ada.userId },
  ]);
  expect(await here('effects', 'requeue', randomUUID(), ...why)).toMatchObject({ code: 1 });
});

test('`effects requeue` changes nothing while a worker runs the effect', async () => {
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const slow = proxy.spoil({ operation: 'createInternalTransfer', spoilt: 'late', forwarded: true, about });
  const id = await pay(ada, await quote(ada, 22));
  await until(
    async () => slow.hits(),
    (hits) => hits === 1,
  );
  const { id: effectId } = await effectOf(id);
  expect((await here('effects', 'requeue', effectId, ...why)).out).toMatch(
    /^Nothing changed\. A worker is running the effect/,
  );
  await reaches(ada, id, 'completed');
  expect(await auditOf(world, effectId)).toEqual([]);
});

test('`discrepancies resolve` resolves a discrepancy once and keeps the reason', async () => {
  const id = newId();
  const now = new Date();
  await byTable(db())
    .insertInto('discrepancies')
    .values({
      id,
      user_id: ada.userId,
      subject_kind: 'pix_payment',
      subject_id: randomUUID(),
      handle: randomUUID(),
      kind: 'contradicted_state',
      fingerprint: 'x',
      event: 'off-ramp.failed',
      event_data: {},
      state: 'completed',
      snapshot_updated_at: now,
      cause_kind: 'job',
      cause_id: 'x',
      occurred_at: now,
    })
    .execute();
  expect((await ops(world, 'discrepancies', 'resolve', id, '--reason', 'their slip, ticket 8')).out).toMatch(
    /^Done\. /,
  );
  expect((await here('discrepancies', 'resolve', id, ...why)).out).toMatch(/^Nothing changed\. /);
  const { resolution } = await byTable(db())
    .selectFrom('discrepancies')
    .select('resolution')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(resolution).toBe('their slip, ticket 8');
  expect(await auditOf(world, id)).toHaveLength(1);
  expect((await here('discrepancies')).out).toBe('No discrepancy is open.\n');
});

test('`audit` lists the operator, action, target and reason of each action', async () => {
  const { out } = await ops(world, 'audit', '--limit', '1000');
  expect(out).toMatch(
    new RegExp(`^.* {2}${OPERATOR} +discrepancies resolve +\\S+ +their slip, ticket 8$`, 'm'),
  );
  expect(out).toMatch(/effects pause +startPayout +incident 7$/m);
});

const rowOf = (id: string) =>
  byTable(db()).selectFrom('pix_payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The metrics of payments in manual_review: their number, the age of the oldest, and the number past their limit. */
const alarms = async () => {
  const text = await (await countBacklog(db(), new Date())).metrics();
  return [
    'ponte_pix_payments{state="manual_review"}',
    'ponte_oldest_unfinished_age_seconds{lifecycle="pix_payment",state="manual_review"}',
    'ponte_unfinished_past_limit{lifecycle="pix_payment",state="manual_review"}',
  ].map((series) => valueIn(text, series));
};

const latestEvent = (status: 'received' | 'unmatched') =>
  byTable(db())
    .selectFrom('webhook_events')
    .select(['id', 'attempts'])
    .where('status', '=', status)
    .where('event_type', '=', 'payout.updated')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

const statusOf = async (eventId: string): Promise<string> =>
  (
    await byTable(db())
      .selectFrom('webhook_events')
      .select('status')
      .where('id', '=', eventId)
      .executeTakeFirstOrThrow()
  ).status;

const effectOf = (paymentId: string, type: 'startConversion' | 'startPayout' = 'startConversion') =>
  byTable(db())
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', paymentId)
    .where('type', '=', type)
    .executeTakeFirstOrThrow();
