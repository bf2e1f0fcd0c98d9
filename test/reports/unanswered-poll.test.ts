// A poll that gets no usable answer is followed by another poll.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { pollResource } from '../../src/reports/poll-resource.ts';
import { listFailingWork } from '../../src/tables/backlog.ts';
import { byTable } from '../support/by-table.ts';
import { must, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let userId: string;
const { world, db } = useWorld({ env: { ROLE: 'api' } });
beforeAll(async () => {
  ({ userId } = await signUp(world));
});

/** Inserts a payout whose poll is leased with the token 1. */
async function leasedPoll(): Promise<string> {
  const handle = newId();
  await byTable(db())
    .insertInto('provider_resources')
    .values({
      handle,
      kind: 'payout',
      user_id: userId,
      subject_kind: 'withdraw',
      subject_id: newId(),
      provider_ref: newId(),
      next_poll_at: new Date(),
      leased_by: newId(),
      lease_token: 1,
      created_at: world.clock.now(),
    })
    .execute();
  return handle;
}

const resourceOf = (handle: string) =>
  byTable(db())
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handle)
    .executeTakeFirstOrThrow();

async function failUnsent(): Promise<never> {
  throw new OutcomeUnknown('getOwner', 'no connection', { sent: false });
}

async function failUnexpectedly(): Promise<never> {
  throw new TypeError('the value cannot be opened');
}

test.each([
  ['was not answered', true, 1],
  ['was not sent', false, 0],
])('a poll that %s is followed by another one', async (_, sent, pollCount) => {
  const id = await leasedPoll();
  const { app } = world.service;
  const { provider } = app;
  const fail = async () => {
    throw new OutcomeUnknown('getPayout', 'no usable answer', { sent });
  };
  app.provider = { ...provider, getPayout: fail, findPayout: fail };
  const begunAt = new Date();
  await pollResource(app, { id, userId, token: 1 });
  app.provider = provider;
  const { next_poll_at: nextPollAt, leased_by: process, poll_count: polls } = await resourceOf(id);
  expect([process, polls]).toEqual([null, pollCount]);
  expect(nextPollAt?.getTime() ?? 0).toBeGreaterThan(begunAt.getTime());
});

test('a poll that fails with an unexpected error frees its lease and is repeated by its schedule', async () => {
  const id = await leasedPoll();
  const { app } = world.service;
  const { provider } = app;
  app.provider = { ...provider, getPayout: failUnexpectedly, findPayout: failUnexpectedly };
  const begunAt = new Date();
  await pollResource(app, { id, userId, token: 1 });
  app.provider = provider;
  const { next_poll_at: nextPollAt, leased_by: process, poll_count: polls } = await resourceOf(id);
  expect([process, polls]).toEqual([null, 1]);
  expect(nextPollAt?.getTime() ?? 0).toBeGreaterThan(begunAt.getTime() + 5_000);
});

test('a poll that fails five times in a row is listed, and a poll that succeeds ends that', async () => {
  const { app } = world.service;
  const bea = await signUp(world);
  must(await bea.api.POST('/kyc/start'));
  const owner = await byTable(db())
    .selectFrom('provider_resources')
    .selectAll()
    .where('user_id', '=', bea.userId)
    .executeTakeFirstOrThrow();
  const poll = async (): Promise<unknown> => {
    const { lease_token: token } = await byTable(db())
      .updateTable('provider_resources')
      .set({ leased_by: newId(), lease_token: sql<number>`lease_token + 1` })
      .where('handle', '=', owner.handle)
      .returning('lease_token')
      .executeTakeFirstOrThrow();
    await pollResource(app, { id: owner.handle, userId: bea.userId, token });
    return (await listFailingWork(db(), { limit: 10 })).filter(({ id }) => id === owner.handle);
  };
  const { provider } = app;
  app.provider = { ...provider, getOwner: failUnexpectedly, findOwner: failUnexpectedly };
  for (let times = 1; times < 5; times += 1) expect(await poll()).toEqual([]);
  const about = `owner of kyc ${owner.subject_id}`;
  const failing = { kind: 'poll', id: owner.handle, about, failures: 5, lastError: null };
  expect(await poll()).toMatchObject([failing]);
  app.provider = { ...provider, getOwner: failUnsent, findOwner: failUnsent };
  expect(await poll()).toMatchObject([failing]);
  app.provider = provider;
  expect(await poll()).toEqual([]);
});

test('a poll that ends after its row was leased to another process leaves that lease alone', async () => {
  const id = await leasedPoll();
  const { app } = world.service;
  const { provider } = app;
  const other = newId();
  const takeAway = async () => {
    await byTable(db())
      .updateTable('provider_resources')
      .set({ leased_by: other, lease_token: 3 })
      .where('handle', '=', id)
      .execute();
    throw new OutcomeUnknown('getPayout', 'no usable answer');
  };
  app.provider = { ...provider, getPayout: takeAway, findPayout: takeAway };
  await pollResource(app, { id, userId, token: 1 });
  app.provider = provider;
  expect(await resourceOf(id)).toMatchObject({ leased_by: other, lease_token: 3 });
});

test('a poll without its lease sends no request and plans no other poll', async () => {
  const id = await leasedPoll();
  const before = await resourceOf(id);
  await expect(pollResource(world.service.app, { id, userId, token: 0 })).rejects.toThrow(LeaseLost);
  expect(await resourceOf(id)).toEqual(before);
});
