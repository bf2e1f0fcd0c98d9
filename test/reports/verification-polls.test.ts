// A verification is polled until a day after its hosted page expires, but not after its user has closed the account.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, passVerification, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const DAY_MS = 24 * 60 * 60_000;
const MANY_POLLS = 30;

const test = useWorld();

test('a verification is polled until a day after its hosted page has expired', async ({ world }) => {
  const ada = await signUp(world);
  const { expiresAt } = must(await ada.api.POST('/kyc/start'));
  expect(expiresAt).not.toBeNull();
  const lifeMs = Date.parse(String(expiresAt)) - Date.now();
  await world.clock.later(lifeMs + 0.9 * DAY_MS, () => isPolled(world, ada));
  expect(await nextPollOf(world, ada)).not.toBeNull();
  await world.clock.later(lifeMs + 1.1 * DAY_MS, () => isPolled(world, ada));
  expect(await nextPollOf(world, ada)).toBeNull();
});

test('a verification that is no longer polled is decided by GET /kyc/status, and is polled again after a new start', async ({
  world,
}) => {
  const bob = await signUp(world);
  must(await bob.api.POST('/kyc/start'));
  await world.clock.later(3 * DAY_MS, () => isPolled(world, bob));
  expect(await nextPollOf(world, bob)).toBeNull();
  must(await bob.api.POST('/kyc/start'));
  expect(await nextPollOf(world, bob)).not.toBeNull();

  await stopPolls(world, bob);
  await passVerification(bob);
  await until(
    async () => must(await bob.api.GET('/kyc/status')).status,
    (status) => status === 'completed',
  );
});

test('a refused verification is polled until a day after the refusal', async ({ world }) => {
  const eve = await signUp(world);
  await passVerification(eve, 'Ada Fail');
  await until(
    async () => must(await eve.api.GET('/kyc/status')).status,
    (status) => status === 'failed',
  );
  await isPolled(world, eve);
  expect(await nextPollOf(world, eve)).not.toBeNull();
  await world.clock.later(2 * DAY_MS, () => isPolled(world, eve));
  expect(await nextPollOf(world, eve)).toBeNull();
});

test('a verification is no longer polled once its user has closed the account', async ({ world, proxy }) => {
  const zoe = await signUp(world);
  must(await zoe.api.POST('/kyc/start'));
  expect(await nextPollOf(world, zoe)).not.toBeNull();
  must(await zoe.api.DELETE('/me'));
  expect(await nextPollOf(world, zoe)).toBeNull();

  // A poll that was in progress while the account was closed has planned the next one.
  const before = callsAbout(proxy, zoe);
  await isPolled(world, zoe);
  expect(await nextPollOf(world, zoe)).toBeNull();
  expect(callsAbout(proxy, zoe)).toBe(before);
});

const resourceOf = (world: World, { userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select(['next_poll_at', 'poll_count', 'leased_by', 'provider_ref'])
    .where('handle', '=', handleFor(userId, 'owner'))
    .executeTakeFirstOrThrow();

const nextPollOf = async (world: World, person: Person): Promise<Date | null> =>
  (await resourceOf(world, person)).next_poll_at;

/** Waits for one poll, which is due now. */
async function isPolled(world: World, person: Person): Promise<void> {
  const { db } = world.service.app;
  await byTable(db)
    .updateTable('provider_resources')
    .set({ next_poll_at: sql<Date>`now()`, poll_count: MANY_POLLS })
    .where('handle', '=', handleFor(person.userId, 'owner'))
    .execute();
  await until(
    () => resourceOf(world, person),
    ({ leased_by, next_poll_at }) =>
      leased_by === null && (next_poll_at === null || next_poll_at.getTime() > Date.now() + 60_000),
  );
}

const stopPolls = (world: World, { userId }: Person) =>
  byTable(world.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: null })
    .where('handle', '=', handleFor(userId, 'owner'))
    .execute();

const callsAbout = (proxy: UpstreamProxy, { userId }: Person): number =>
  proxy.count('findOwners', handleFor(userId, 'owner')) + proxy.count('getOwner');
