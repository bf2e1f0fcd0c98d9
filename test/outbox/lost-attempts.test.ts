// A process that dies while it runs an effect may have sent a request. The next attempt assumes that it did: it looks up the handle
// before it sends anything, and a refusal stays pending.
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { releaseOrphanedLeases } from '../../src/outbox/leases.ts';
import { PAUSES_KNOWN_FOR_MS } from '../../src/outbox/paused-effects.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { decidesAfter, heldRefusal, type LateRequests, receiveLate } from '../support/late-requests.ts';
import { growOlder, letTimePass } from '../support/outbox.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;
const { world, provider } = useWorld();
beforeEach(async () => {
  ada = await verified(world, { deposit: '100.00' });
});

test('the first refusal is final when no process died while it ran the effect', async () => {
  const { id, late } = await waitingPayment(10);
  await letTimePass(world, 0);
  await reaches(ada, id, 'failed');
  expect(late.sent()).toBe(1);
});

test('the refusal after a lost attempt stays pending until the earlier request can no longer be in flight', async () => {
  const { id, late } = await waitingPayment(10);
  await dieOver(id);
  await letTimePass(world, 0);
  await isHeld(id, late);
  await letTimePass(world, 151_000);
  await reaches(ada, id, 'failed');
  expect(late.sent()).toBe(1);
});

test('the refusal of a payout stays pending from the attempt that the process died in, not from the previous one', async () => {
  const late = receiveLate(world, 'createPayout', [{ lostFor: 100_000 }, 'rejected']);
  const id = await pay(ada, await quote(ada, 10));
  await until(
    () => effectOf(id),
    ({ type, attempts }) => type === 'startPayout' && attempts === 1,
  );
  await growOlder(world, 120_000);
  await dieOver(id);
  await letTimePass(world, 0);
  expect(await heldRefusal(() => effectOf(id))).toBe('rejected');
  // Five minutes after the first attempt, three minutes after the attempt that was not recorded.
  await decidesAfter(world, () => effectOf(id), 180_000);
  expect([late.sent(), await statusOf(id)]).toEqual([2, 'paying']);
  await letTimePass(world, 61_000);
  await reaches(ada, id, 'payout_failed');
});

test('an attempt after a lost one finds what the lost one created and sends nothing again', async () => {
  // The sandbox needs long for this amount, so no callback reports it.
  const { id, late } = await waitingPayment(9.99, (transfer) => provider.createTransfer(transfer));
  await dieOver(id);
  await letTimePass(world, 0);
  await until(
    () => effectOf(id),
    ({ status }) => status === 'done',
  );
  expect([late.sent(), await statusOf(id)]).toEqual([0, 'converting']);
});

test('the refusal after a lost attempt stays pending even if the effect was paused before it was tried again', async () => {
  const { app } = world.service;
  const { id, late } = await waitingPayment(10);
  await opsHere(app, ['effects', 'pause', 'startConversion', '--reason', 'a test']);
  await untilPausesAreKnown();
  await dieOver(id);
  await letTimePass(world, 0);
  await untilPausesAreKnown();
  expect(late.sent()).toBe(0);
  await opsHere(app, ['effects', 'resume', 'startConversion', '--reason', 'a test']);
  await untilPausesAreKnown();
  await letTimePass(world, 0);
  await isHeld(id, late);
});

/** A payment whose first request counts as not sent. The provider refuses every later request. */
async function waitingPayment(
  amountBrl: number,
  before: Provider['createTransfer'] | null = null,
): Promise<{ id: string; late: LateRequests }> {
  const { app } = world.service;
  const quoted = await quote(ada, amountBrl);
  app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      await before?.(transfer);
      throw new OutcomeUnknown('createTransfer', 'not sent', { sent: false, retryAfterMs: 3_600_000 });
    },
  };
  const id = await pay(ada, quoted);
  await until(
    () => effectOf(id),
    ({ last_error }) => last_error !== null,
  );
  app.provider = provider;
  return { id, late: receiveLate(world, 'createTransfer', ['insufficient_funds']) };
}

/** Leaves the effect as a process does that began it and died, and releases the lease. */
async function dieOver(id: string): Promise<void> {
  const { db } = world.service.app;
  const { id: effectId } = await effectOf(id);
  await byTable(db).updateTable('effects').set({ leased_by: newId() }).where('id', '=', effectId).execute();
  await releaseOrphanedLeases(db);
}

async function isHeld(id: string, late: LateRequests): Promise<void> {
  const { status } = await until(
    () => effectOf(id),
    (effect) => effect.status !== 'queued' || effect.held_refusal !== null,
  );
  expect([late.sent(), status, await statusOf(id)]).toEqual([1, 'queued', 'converting']);
}

const effectOf = (id: string) =>
  byTable(world.service.app.db)
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

const statusOf = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;

/** A process notices a pause, and its end, within a second. */
const untilPausesAreKnown = () => new Promise((resolve) => setTimeout(resolve, PAUSES_KNOWN_FOR_MS + 100));
