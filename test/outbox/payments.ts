// Helpers for payments in tests of the engine: one in progress, its history and effects, and its completion.
import { expect } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { leasedIn, type WorkRow } from '../support/outbox.ts';
import { type Person, pay, quote } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import type { World } from '../support/world.ts';

/**
 * Makes a payment whose conversion is in progress. The provider executed it but does not answer, and no callback reports it.
 * @returns the number of unanswered calls, and the row with its lease.
 */
export async function hangingPayment(
  person: Person,
  proxy: UpstreamProxy,
): Promise<{ id: string; hits: () => number; work: WorkRow }> {
  const { world, userId } = person;
  const before = new Set((await leasedIn(world)).map(({ id }) => id));
  const about = await accountRefOf(world, userId, 'GBP');
  const { hits } = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'hang',
    silent: true,
    forwarded: true,
    about,
  });
  const id = await pay(person, await quote(person, 50));
  const [work] = await until(
    async () => (await leasedIn(world)).filter((leased) => !before.has(leased.id)),
    (works) => works.length === 1 && hits() === 1,
  );
  if (!work) throw new Error('no work');
  return { id, hits, work };
}

/** Waits until the payment is completed. Checks that each step was decided once and that the provider has one object for each. */
export async function completesOnce(world: World, paymentId: string, withinMs?: number): Promise<void> {
  await completes(world, paymentId, withinMs);
  expect(await historyOf(world, paymentId)).toEqual(COMPLETED_ONCE);
  expect(await transfersOf(world, paymentId)).toHaveLength(1);
  expect(await payoutsOf(world, paymentId)).toHaveLength(1);
}

/** The history of a payment that was decided once at each step. */
export const COMPLETED_ONCE = ['quoted', 'converting.direct', 'paying', 'completed'];

/** Every state that the payment has entered, in order. */
export const historyOf = async ({ service }: World, paymentId: string): Promise<string[]> =>
  (
    await byTable(service.app.db)
      .selectFrom('transitions')
      .select('to_state')
      .where('subject_id', '=', paymentId)
      .orderBy('seq')
      .execute()
  ).map(({ to_state: state }) => state);

export const effectsOf = ({ service }: World, subjectId: string) =>
  byTable(service.app.db)
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const completes = ({ service }: World, paymentId: string, withinMs = 90_000) =>
  until(
    () =>
      byTable(service.app.db)
        .selectFrom('pix_payments')
        .select('state')
        .where('id', '=', paymentId)
        .executeTakeFirstOrThrow(),
    ({ state }) => state === 'completed',
    withinMs,
  );
