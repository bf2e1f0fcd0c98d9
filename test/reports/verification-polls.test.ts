// A verification is polled until a day after its hosted page expires, but not after its user has closed the account.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, passVerification, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_MS = 24 * 60 * 60_000;
const MANY_POLLS = 30;

const { world, proxy } = useWorld({ proxy: true });

test('a verification is polled until a day after its hosted page has expired', async () => {
  const ada = await signUp(world);
  const { expiresAt } = must(await ada.api.POST('/kyc/start'));
  expect(expiresAt).not.toBeNull();
  const lifeMs = Date.parse(String(expiresAt)) - Date.now();
  await world.clock.later(lifeMs + 0.9 * DAY_MS, () => isPolled(ada));
  expect(await nextPollOf(ada)).not.toBeNull();
  await world.clock.later(lifeMs + 1.1 * DAY_MS, () => isPolled(ada));
  expect(await nextPollOf(ada)).toBeNull();
});

test('a verification that is no longer polled is decided by GET /kyc/status, and is polled again after a new start', async () => {
  const bob = await signUp(world);
  must(await bob.api.POST('/kyc/start'));
  await world.clock.later(3 * DAY_MS, () => isPolled(bob));
  expect(await nextPollOf(bob)).toBeNull();
  must(await bob.api.POST('/kyc/start'));
  expect(await nextPollOf(bob)).not.toBeNull();

  await stopPolls(bob);
  await passVerification(bob);
  await until(
    async () => must(await bob.api.GET('/kyc/status')).status,
    (status) => status === 'completed',
  );
});

test('a refused verification is polled until a day after the refusal', async () => {
  const eve = await signUp(world);
  await passVerification(eve, 'Ada Fail');
  await until(
    async () => must(await eve.api.GET('/kyc/status')).status,
    (status) => status === 'failed',
  );
  await isPolled(eve);
  expect(await nextPollOf(eve)).not.toBeNull();
  await world.clock.later(2 * DAY_MS, () => isPolled(eve));
  expect(await nextPollOf(eve)).toBeNull();
});

test('a verification is no longer polled once its user has closed the account', async () => {
  const zoe = await signUp(world);
  must(await zoe.api.POST('/kyc/start'));
  expect(await nextPollOf(zoe)).not.toBeNull();
  must(await zoe.api.DELETE('/me'));
  expect(await nextPollOf(zoe)).toBeNull();

  // A poll that was in progress while the account was closed has planned the next one.
  const before = callsAbout(zoe);
  await isPolled(zoe);
  expect(await nextPollOf(zoe)).toBeNull();
  expect(callsAbout(zoe)).toBe(before);
});

const resourceOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select(['next_poll_at', 'poll_count', 'leased_by', 'provider_ref'])
    .where('handle', '=', handleFor(userId, 'owner'))
    .executeTakeFirstOrThrow();

const nextPollOf = async (person: Person): Promise<Date | null> => (await resourceOf(person)).next_poll_at;

/** Waits for one poll, which is due now. */
async function isPolled(person: Person): Promise<void> {
  const { db } = world.service.app;
  await byTable(db)
    .updateTable('provider_resources')
    .set({ next_poll_at: sql<Date>`now()`, poll_count: MANY_POLLS })
    .where('handle', '=', handleFor(person.userId, 'owner'))
    .execute();
  await until(
    () => resourceOf(person),
    ({ leased_by, next_poll_at }) =>
      leased_by === null && (next_poll_at === null || next_poll_at.getTime() > Date.now() + 60_000),
  );
}

const stopPolls = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: null })
    .where('handle', '=', handleFor(userId, 'owner'))
    .execute();

const callsAbout = ({ userId }: Person): number =>
  proxy.count('findOwners', handleFor(userId, 'owner')) + proxy.count('getOwner');
