// Checks what the mutations of the outbox break (proof/mutations): leases and their tokens, takeovers, the hand-off and the
// heartbeat.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { completeEffect } from '../../src/effects/complete.ts';
import { runEffect } from '../../src/effects/run.ts';
import { reclaim } from '../../src/outbox/claim.ts';
import { createEngine } from '../../src/outbox/engine.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { createOutbox, type HandOffTarget, newLease, transaction } from '../../src/outbox/hand-off.ts';
import { LeaseLost, takeOver } from '../../src/outbox/leases.ts';
import type { Work } from '../../src/outbox/work.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { byTable } from '../support/by-table.ts';
import { claimOnce } from '../support/claim-once.ts';
import { must, signUp } from '../support/person.ts';
import { readEffect } from '../support/read-effect.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let userId: string;

// Only these tests run work here.
const { world, db } = useWorld({ env: { ROLE: 'api' } });
beforeAll(async () => {
  ({ userId } = await signUp(world));
});
beforeEach(async () => {
  await byTable(db()).deleteFrom('effects').execute();
});

const now = () => world.clock.now();

test('a row that is leased to one process is not claimed by another', async () => {
  const effect = await enqueued();
  const [one, other] = [await aliveProcess(), await aliveProcess()];
  expect(await claimedBy(one)).toMatchObject([{ id: effect.id, token: 1 }]);
  expect(await claimedBy(other)).toEqual([]);
});

test('an outcome is written only with the token of the latest lease', async () => {
  const { id } = await enqueued();
  const [one, other] = [await aliveProcess(), await aliveProcess()];
  await claimedBy(one);
  const before = await effectOf(id);
  await takeOver(db(), { id: one, heartbeat: 0 });
  await claimedBy(other);
  expect(await completing(before)).toBeInstanceOf(LeaseLost);
  const after = await effectOf(id);
  expect(after).toMatchObject({ status: 'queued', leasedBy: other });
  await completeEffect(db(), after, 'done');
  expect(await effectOf(id)).toMatchObject({ status: 'done', leasedBy: null });
});

test('a process that was declared dead can no longer write an outcome', async () => {
  const { id } = await enqueued();
  const one = await aliveProcess();
  await claimedBy(one);
  const before = await effectOf(id);
  await takeOver(db(), { id: one, heartbeat: 0 });
  expect(await completing(before)).toBeInstanceOf(LeaseLost);
  expect(await effectOf(id)).toMatchObject({ status: 'queued', leasedBy: null });
});

test('the effect of a dead process is due, and counts as possibly sent', async () => {
  const { id } = await enqueued();
  const one = await aliveProcess();
  await claimedBy(one);
  expect(await effectOf(id)).toMatchObject({ attempts: 0, lastUnknownAt: null });
  expect(await takeOver(db(), { id: one, heartbeat: 0 })).toBe(true);
  expect(await effectOf(id)).toMatchObject({
    leasedBy: null,
    attempts: 1,
    lastUnknownAt: expect.any(Date) as Date,
  });
  expect(await claimedBy(await aliveProcess())).toMatchObject([{ id }]);
});

test('a process that has written a newer heartbeat keeps its leases', async () => {
  const { id } = await enqueued();
  const one = await aliveProcess();
  await claimedBy(one);
  await byTable(db()).updateTable('processes').set({ heartbeat: 1 }).where('id', '=', one).execute();
  expect(await takeOver(db(), { id: one, heartbeat: 0 })).toBe(false);
  expect(await effectOf(id)).toMatchObject({ leasedBy: one, attempts: 0 });
});

test('an effect whose outcome could not be recorded counts as possibly sent', async () => {
  const effect = await enqueued();
  const { id } = effect;
  const owner = await aliveProcess();
  const [work] = await claimedBy(owner);
  const token = work?.token ?? 0;
  await reclaim(db(), owner, { kind: 'effect', ...effect, token }, { isRetry: false });
  expect(await effectOf(id)).toMatchObject({ attempts: 0, lastUnknownAt: null });
  await reclaim(db(), owner, { kind: 'effect', ...effect, token: token + 1 }, { isRetry: true });
  expect(await effectOf(id)).toMatchObject({ attempts: 1, lastUnknownAt: expect.any(Date) as Date });
});

test('an effect whose subject has a newer transition is superseded', async () => {
  const person = await signUp(world);
  must(await person.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  for (const accountNumber of ['12345678', '31926819'])
    must(await person.api.POST('/bank-details', { body: { ...bankDetails, accountNumber } }));
  const [former, latest] = await byTable(db()).selectFrom('effects').selectAll().orderBy('seq').execute();
  expect([former?.seq, latest?.seq]).toEqual([1, 2]);
  for (const effect of [former, latest])
    await runEffect(
      { ...world.service.app, effectHandlers },
      {
        id: effect?.id ?? '',
        userId: effect?.user_id ?? null,
      },
    );
  expect((await effectOf(former?.id ?? '')).status).toBe('superseded');
  expect((await effectOf(latest?.id ?? '')).status).toBe('done');
});

test('work that could not be committed is not handed off', async () => {
  const outbox = createOutbox();
  const told: string[] = [];
  const owner = await aliveProcess();
  const target: HandOffTarget = {
    lease: () => newLease(owner),
    committed: (works) => told.push(...works.map(() => 'committed')),
    failed: (works) => told.push(...works.map(() => 'failed')),
    waits: () => [],
    heldUp: () => [],
  };
  outbox.attach(target);
  // A table of the coordinator's own, because Citus defers no constraint of a distributed one.
  await sql`create table never_twice (value int unique deferrable initially deferred)`.execute(db());
  const order = (values: number[]) =>
    transaction({ db: db(), outbox }, async (tx) => {
      await enqueueEffect(tx, newEffect());
      for (const value of values) await sql`insert into never_twice values (${value})`.execute(tx);
    });
  await order([1]);
  expect(told.splice(0)).toEqual(['committed']);
  await expect(order([2, 2])).rejects.toThrow('never_twice_value_key');
  expect(told).toEqual(['failed']);
  await sql`drop table never_twice`.execute(db());
});

test('a process without a recent heartbeat begins no work', async () => {
  const owner = await aliveProcess();
  const { id } = await enqueued();
  let ageMs = 6_000;
  const begun: string[] = [];
  const handler = async (work: Work): Promise<void> => void begun.push(work.id);
  const engine = createEngine({
    ...world.service.app,
    config: { workerConcurrency: 8, processDeadAfterMs: 10_000 },
    heartbeat: { owner: () => owner, ageMs: () => ageMs },
    waited: () => undefined,
    handlers: { effect: handler, callback: handler, poll: handler, page: handler },
    pausedTypes: async () => new Set(),
    failingOperations: () => [],
  });
  const newWork = { kind: 'effect', id: newId(), userId, type: 'validateBankDetails' } as const;
  await engine.tick();
  expect([begun, engine.handOffTarget.lease(newWork)]).toEqual([[], null]);
  expect(await effectOf(id)).toMatchObject({ leasedBy: null });

  ageMs = 0;
  await engine.tick();
  await until(
    async () => begun.length,
    (count) => count > 0,
  );
  expect(begun).toEqual([id]);
  await engine.stop(0);
});

const bankDetails = { currency: 'GBP', accountHolderName: 'Ada Silva', sortCode: '12-34-56' } as const;

const newEffect = () =>
  ({
    subject: { kind: 'bank_details', id: newId(), userId, seq: 1 },
    effect: { type: 'validateBankDetails' },
    resource: null,
    now: now(),
  }) as const;

/** Enqueues an effect whose subject does not exist. */
async function enqueued(): Promise<{ id: string; userId: string }> {
  const effect = newEffect();
  await transaction({ db: db(), outbox: createOutbox() }, (tx) => enqueueEffect(tx, effect));
  return byTable(db())
    .selectFrom('effects')
    .select(['id', 'user_id as userId'])
    .where('subject_id', '=', effect.subject.id)
    .executeTakeFirstOrThrow();
}

async function aliveProcess(): Promise<string> {
  const id = newId();
  const at = now();
  await byTable(db())
    .insertInto('processes')
    .values({ id, name: 'of a test', heartbeat: 0, started_at: at, heartbeat_at: at })
    .execute();
  return id;
}

const claimedBy = async (owner: string): Promise<Work[]> =>
  (await claimOnce(db(), 'effect', { owner, limit: 10, now: now() })).works;

/** Completes the effect. @returns the error, or null. */
const completing = (effect: Entity<'Effect'>): Promise<unknown> =>
  completeEffect(db(), effect, 'done').then(
    () => null,
    (error: unknown) => error,
  );

const effectOf = (id: string): Promise<Entity<'Effect'>> => readEffect(db(), { id });
