// The lists of the operators show everything that waits for a person, as a table and as JSON, without personal data.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import type { PixPayment } from '../../packages/client/src/index.ts';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, pay, postJson, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { ops, opsAside, opsHere, opsJson, paid } from './support.ts';

let bea: Person;
let failed: PixPayment;
let returned: PixPayment;
let stuck: string;

const COMMIT = 'a1cb318804deed30e333ad87e4bb29264b1dd9d3';
const { world, proxy, ada, db } = useWorld({
  proxy: true,
  deposit: '1000.00',
  env: { BUILD_COMMIT: COMMIT },
});

beforeAll(async () => {
  failed = await paid(ada, 'fail', 'payout_failed', 250);
  returned = await paid(ada, 'refund', 'manual_review', 30);
  await paid(ada, 'joana', 'completed', 12.5);
  proxy.spoil({ operation: 'createPayout', spoilt: { status: 503 }, forwarded: false, times: 1_000 });
  stuck = await pay(ada, await quote(ada, 40));
  bea = await verified(world, { deposit: '50.00' });
  must(await bea.api.DELETE('/me'));
});

test('`payments` shows those that wait for a person, with amounts and with the provider’s reason', async () => {
  const { code, out, err } = await ops(world, 'payments');
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(
    /^payment +state +since +pays +for +attempt +reason +acknowledged +the provider's reason$/,
  );
  const [first, second] = lines.slice(1);
  expect(first).toMatch(
    new RegExp(
      `^${failed.id}  payout_failed +(?:\\d+ (?:s|min)|now)  BRL 250\\.00  GBP 35\\.\\d\\d +1  payout_failed`,
    ),
  );
  expect(first).toMatch(/the recipient bank refused it$/);
  expect(second).toMatch(new RegExp(`^${returned.id}  manual_review .*payout_returned`));
  // The columns are aligned.
  const at = lines[0]?.indexOf('reason') ?? -1;
  expect(first?.slice(at)).toMatch(/^payout_failed/);
  expect(second?.slice(at)).toMatch(/^payout_returned/);
});

test('`payments` prints JSON with minor units and full times', async () => {
  const rows = await opsJson<Record<string, unknown>[]>(world, 'payments', '--state', 'payout_failed');
  expect(rows).toEqual([
    {
      id: failed.id,
      transactionId: failed.transactionId,
      userId: ada.userId,
      state: 'payout_failed',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      amountBrlMinor: 25_000,
      sourceCurrency: 'GBP',
      sourceAmountMinor: expect.any(Number),
      payoutAttempt: 1,
      failure: 'payout_failed',
      acknowledged: null,
      providerSaid: 'the recipient bank refused it',
    },
  ]);
});

test('`payments` shows any state, at most --limit rows, with a note when there are more', async () => {
  const app = world.service.app;
  const one = await opsHere(app, ['payments', '--limit', '1']);
  expect(one.out.trimEnd().split('\n')).toHaveLength(2);
  expect(one.err).toBe('The first 1; there are more (--limit).\n');
  const paying = await opsHere(app, ['payments', '--state', 'converting,paying', '--json']);
  expect(JSON.parse(paying.out)).toMatchObject([{ id: stuck, state: 'paying' }]);
  const none = await opsHere(app, ['payments', '--state', 'refunded']);
  expect(none).toEqual({ code: 0, out: 'No payment is in refunded.\n', err: '' });
});

test('`payments` shows those whose data key was destroyed', async () => {
  const [was] = await byTable(db())
    .selectFrom('data_keys')
    .selectAll()
    .where('scope', '=', ada.userId)
    .execute();
  if (!was) throw new Error('no key');
  await byTable(db()).deleteFrom('data_keys').where('scope', '=', ada.userId).execute();
  // The command runs in a new process, which has no key in memory.
  const { out } = await opsAside(world, 'payments', '--state', 'payout_failed', '--json');
  const [row] = JSON.parse(out) as { providerSaid: string }[];
  await byTable(db()).deleteFrom('data_keys').where('scope', '=', ada.userId).execute();
  await byTable(db()).insertInto('data_keys').values(was).execute();
  expect(row?.providerSaid).toBe('(can no longer be opened)');
});

test('`effects` shows effects with several attempts, old ones, and exhausted ones', async () => {
  const effect = await until(
    () => effectOf(stuck),
    ({ attempts }) => attempts >= 3,
  );
  const due = new Date(Date.now() + 5_400_000);
  const late = { status: 'queued', due_at: due, leased_by: null } as const;
  const old = await copyOf(effect.id, { ...late, created_at: new Date(Date.now() - 3_600_000) });
  const exhausted = await copyOf(effect.id, { ...late, status: 'exhausted', attempts: 150, due_at: null });
  const fresh = await copyOf(effect.id, { ...late, attempts: 0, created_at: new Date() });

  const { code, out } = await ops(world, 'effects');
  expect(code).toBe(0);
  expect(out).toMatch(/^effect +type +status +outbox +age +attempts +due +subject +last error$/m);
  expect(out).toMatch(new RegExp(`^${exhausted}  startPayout  exhausted .*150 .*pix_payment ${stuck}`, 'm'));
  expect(out).toMatch(new RegExp(`^${old}  startPayout  queued +waiting +1 h +\\d+ +in 1 h `, 'm'));
  expect(out).toMatch(
    new RegExp(`^${effect.id}  startPayout  queued +(waiting|running) .*createPayout: answered 503`, 'm'),
  );
  expect(out).not.toContain(fresh);
  expect(out.indexOf(exhausted)).toBeLessThan(out.indexOf(old));
  await byTable(db()).deleteFrom('effects').where('id', 'in', [old, exhausted, fresh]).execute();
});

test('operators see work of every kind that has failed five times, and the status counts it', async () => {
  const effect = await until(
    () => effectOf(stuck),
    ({ attempts }) => attempts >= 1,
  );
  const later = { status: 'queued', due_at: new Date(Date.now() + 5_400_000), leased_by: null } as const;
  const failing = await copyOf(effect.id, { ...later, attempts: 5 });
  const patient = await copyOf(effect.id, { ...later, attempts: 4 });
  const callback = newId();
  await byTable(db())
    .insertInto('webhook_events')
    .values({
      id: callback,
      provider: 'a provider',
      identity: randomBytes(32),
      event_type: 'payout.updated',
      payload_sealed: Buffer.from('sealed'),
      attempts: 7,
      received_at: new Date(),
      due_at: new Date(Date.now() + 5_400_000),
    })
    .execute();

  const { code, out } = await ops(world, 'failures');
  expect(code).toBe(0);
  expect(out).toMatch(/^kind +id +about +failures +next attempt +last error$/m);
  expect(out).toMatch(new RegExp(`^callback +${callback}  payout.updated +7 +in 1 h`, 'm'));
  expect(out).toMatch(
    new RegExp(`^effect +${failing}  startPayout of pix_payment ${stuck} +5 +in 1 h +createPayout: `, 'm'),
  );
  expect(out).not.toContain(patient);
  const { attention } = await opsJson<{ attention: { number: number; see: string }[] }>(world, 'status');
  expect(attention.find(({ see }) => see === 'failures')?.number).toBeGreaterThanOrEqual(2);
  await byTable(db()).deleteFrom('effects').where('id', 'in', [failing, patient]).execute();
  await byTable(db()).deleteFrom('webhook_events').where('id', '=', callback).execute();
});

test('`webhooks` shows those that changed nothing, and those of unused kinds with --all', async () => {
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  await postJson(address, { event: 'card.\u001b[2Jfrozen', data: { uuid: randomUUID() } });
  const { provider_ref: uuid } = await byTable(db())
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('subject_id', '=', failed.id)
    .where('kind', '=', 'payout')
    .executeTakeFirstOrThrow();
  // The provider's current report is older than the snapshot that was applied.
  await byTable(db())
    .updateTable('provider_resources')
    .set({ snapshot_updated_at: new Date(Date.now() + 60_000) })
    .where('provider_ref', '=', uuid)
    .execute();
  await postJson(address, {
    event: 'payout.updated',
    data: { uuid },
    updated_at: '2026-01-01T00:00:00.000Z',
  });
  const rows = await until(
    () => opsJson<{ eventType: string; why: string | null }[]>(world, 'webhooks'),
    (seen) => seen.length > 0,
  );
  expect(rows.map(({ eventType, why }) => [eventType, why])).toContainEqual(['payout.updated', 'stale']);
  expect(rows.filter(({ why }) => why === 'no use for this event')).toEqual([]);

  const { out } = await opsHere(world.service.app, ['webhooks', '--status', 'ignored', '--all']);
  // The output no longer has the control character that a terminal would obey.
  expect(out).toMatch(/ {2}card\. \[2Jfrozen +ignored .*no use for this event$/m);
  expect(out).not.toContain('\u001b');
});

test('`discrepancies` shows the open ones, and the resolved ones with --all', async () => {
  const discrepancy = {
    user_id: ada.userId,
    subject_kind: 'pix_payment',
    subject_id: returned.id,
    handle: randomUUID(),
    kind: 'contradicted_state',
    event: 'off-ramp.completed',
    event_data: { amountMinor: 3_000 },
    state: 'manual_review',
    cause_kind: 'job',
    cause_id: 'x',
    occurred_at: new Date(),
  } as const;
  const [open, closed] = [newId(), newId()];
  await byTable(db())
    .insertInto('discrepancies')
    .values([
      { ...discrepancy, id: open, fingerprint: '1', snapshot_updated_at: new Date() },
      {
        ...discrepancy,
        id: closed,
        fingerprint: '2',
        snapshot_updated_at: new Date(1e12),
        resolved_at: new Date(),
        resolution: 'seen to',
      },
    ])
    .execute();
  const { out } = await ops(world, 'discrepancies');
  expect(out).toMatch(
    new RegExp(
      `^${open}  contradicted_state  pix_payment ${returned.id}  manual_review  off-ramp.completed`,
      'm',
    ),
  );
  expect(out).toMatch(
    /The provider reports the payout as completed \(BRL 30\.00\), which our state manual_review does not allow\.$/m,
  );
  const shown = await ops(world, 'show', returned.id);
  expect(shown.out).toMatch(
    new RegExp(
      `^At the provider, now\n(?: {2}.*\n)+ {2}discrepancy ${open}, open, .*: The provider reports the payout as completed`,
      'm',
    ),
  );
  expect(shown.out).toMatch(
    new RegExp(`^ {2}discrepancy ${closed}, resolved \\(seen to\\): The provider reports the payout`, 'm'),
  );
  expect(out).not.toContain(closed);
  expect((await opsHere(world.service.app, ['discrepancies', '--all'])).out).toMatch(/seen to$/m);
});

test('`accounts closed-with-money` shows users who closed with a balance or a failed payout, even if the provider is unreachable', async () => {
  const { code, out } = await ops(world, 'accounts', 'closed-with-money');
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toHaveLength(2);
  expect(out).toMatch(new RegExp(`^${bea.userId} .*GBP 50\\.00$`, 'm'));

  proxy.spoil({ operation: 'getAccount', spoilt: { status: 500 }, forwarded: false, times: 100 });
  const [row] = await opsJson<{ balances: unknown[] }[]>(world, 'accounts', 'closed-with-money');
  expect(row?.balances).toContainEqual({ currency: 'GBP', minor: null });
});

test('`data-requests` shows the open ones and when they are due', async () => {
  const { out } = await ops(world, 'data-requests');
  expect(out).toMatch(new RegExp(`${bea.userId}  erasure .*in \\d+ d$`, 'm'));
});

const LATE = 61 * 60_000;

test('a payment that has been in its state for too long is listed, the oldest first, and needs attention in the status', async () => {
  const { app } = world.service;
  const status = async () => (await opsHere(app, ['status'])).out;
  await reaches(ada, stuck, 'paying');
  expect((await status()).match(/^ {2}payments +paying +(?:\d+ (?:s|min)|now) +1 h$/m)).not.toBeNull();
  expect(await status()).not.toMatch(/in paying for longer/);
  expect((await opsHere(app, ['overdue'])).out).not.toContain(stuck);

  await world.clock.later(LATE, async () => {
    expect(await status()).toMatch(/^ {2}payments +paying +\S+.* 1 h +1$/m);
    expect(await status()).toMatch(/^ +1 {2}payments in paying for longer than 1 h +overdue$/m);
    const { out } = await opsHere(app, ['overdue']);
    expect(out.split('\n')[0]).toMatch(/^lifecycle +id +state +since +limit +user$/);
    expect(out).toMatch(new RegExp(`^payments +${stuck} +paying .* 1 h +${ada.userId}$`, 'm'));
    const [first, ...others] = JSON.parse((await opsHere(app, ['overdue', '--json'])).out);
    expect(first).toMatchObject({ id: returned.id, lifecycle: 'pix_payment', state: 'manual_review' });
    expect(others).toMatchObject([{ id: stuck, state: 'paying', limitSeconds: 3_600 }]);
    const one = await opsHere(app, ['overdue', '--limit', '1']);
    expect([one.out.trimEnd().split('\n').length, one.err]).toEqual([
      2,
      expect.stringMatching(/there are more/),
    ]);
  });
});

test('`status` shows the outbox, paused effects, open circuits, workers and the last nightly runs', async () => {
  const now = new Date();
  await byTable(db())
    .insertInto('open_circuits')
    .values({ process: 'api-7:31', opened_at: now, heartbeat_at: now, reason: 'no usable answer' })
    .execute();
  await byTable(db())
    .insertInto('job_runs')
    .values({
      job: 'reconcile',
      run: '2026-11-20',
      position: {},
      counts: { 'payments fetched': 12 },
      started_at: now,
      updated_at: now,
      finished_at: now,
    })
    .execute();
  // Future nights are not shown.
  await insertRun(db(), 'erase-due', '2999-01-01', 3_600_000);
  await byTable(db())
    .insertInto('effect_pauses')
    .values({ type: 'startPayout', reason: 'double payouts?', operator: 'olga', paused_at: now })
    .execute();
  const { code, out } = await ops(world, 'status');
  expect(code).toBe(0);
  expect(out).toContain(`Ponte ${project.version} ${COMMIT.slice(0, 12)}, database `);
  expect(out).toMatch(/^Workers\n {2}1 alive: /m);
  expect(out).toMatch(/^ {2}kind +rows +due +oldest due +later +running$/m);
  expect(out).toMatch(/^ {2}effect +1 /m);
  expect(out).toMatch(/^ {2}nightly run +\d/m);
  expect(out).toMatch(/^ {2}startPayout, .*by olga: double payouts\? \(1 effect waiting\)$/m);
  expect(out).toMatch(/^ {2}api-7:31, .*no usable answer$/m);
  expect(out).toMatch(/^ +1 {2}payments in payout_failed/m);
  expect(out).toMatch(/^ {2}reconcile 2026-11-20 {2}finished .*12 payments fetched$/m);
  expect(out.slice(out.indexOf('Last nightly runs')).trimEnd().split('\n')).toHaveLength(2);
  const status = await opsJson<Record<string, unknown[]>>(world, 'status');
  expect(Object.keys(status)).toEqual([
    'version',
    'commit',
    'recovery',
    'workers',
    'outbox',
    'pauses',
    'circuits',
    'ages',
    'alarms',
    'attention',
    'runs',
  ]);
});

const effectOf = (paymentId: string) =>
  byTable(db())
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', paymentId)
    .where('type', '=', 'startPayout')
    .orderBy('created_at')
    .executeTakeFirstOrThrow();

/** Inserts another row like this effect, with these changes. @returns its id. */
async function copyOf(id: string, changes: object): Promise<string> {
  const effect = await byTable(db())
    .selectFrom('effects')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const copy = { ...effect, params: {}, ...changes, id: newId() };
  await byTable(db()).insertInto('effects').values(copy).execute();
  return copy.id;
}
