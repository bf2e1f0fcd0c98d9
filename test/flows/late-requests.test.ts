// A request that was never answered can still arrive and be processed later, while its repetition is refused. Nothing fails as
// long as the first request may be in flight: only look-ups are sent.
import { beforeEach, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { startPayout } from '../../src/effects/start-payout.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';
import { OutcomeUnknown, ProviderRefusal } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { byTable } from '../support/by-table.ts';
import { decidesAfter, heldRefusal, receiveLate } from '../support/late-requests.ts';
import { letTimePass } from '../support/outbox.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified, withdraw } from '../support/person.ts';
import { readEffect } from '../support/read-effect.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let ada: Person;
const { world, provider } = useWorld();
beforeEach(async () => {
  ada = await verified(world, { deposit: '500.00' });
});

const effectOf = (subjectId: string) =>
  byTable(world.service.app.db)
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

const isHeld = async (subjectId: string, refusal: string): Promise<void> =>
  expect(await heldRefusal(() => effectOf(subjectId))).toBe(refusal);

/**
 * Lets time pass, and waits for another attempt of the effect. By then, a pending refusal that became definitive has been
 * applied.
 */
const waits = (subjectId: string, ms: number) => decidesAfter(world, () => effectOf(subjectId), ms);

const paymentStatus = async (id: string) =>
  must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })).status;

test('a conversion fails immediately if every request was answered', async () => {
  const late = receiveLate(world, 'createTransfer', ['insufficient_funds']);
  const { id } = await reaches(ada, await pay(ada, await quote(ada, 10)), 'failed');
  expect(late.sent()).toBe(1);
  expect((await effectOf(id)).held_refusal).toBeNull();
});

test('a conversion that arrives 55 s late completes the payment and debits it once', async () => {
  const late = receiveLate(world, 'createTransfer', ['lost', 'insufficient_funds']);
  const quoted = await quote(ada, 11);
  const id = await pay(ada, quoted);
  await isHeld(id, 'insufficient_funds');
  await waits(id, 55 * SECOND);
  expect(await paymentStatus(id)).toBe('converting');
  expect(late.sent()).toBe(2);

  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await transfersOf(world, id)).toHaveLength(1);
  expect(await balanceOf(ada)).toBe(50_000 - quoted.sourceAmount);
});

test('a conversion that never arrives fails 90 s after the end of its quote, for the reason of the pending refusal', async () => {
  const late = receiveLate(world, 'createTransfer', ['lost', 'account_not_active']);
  const id = await pay(ada, await quote(ada, 12));
  await isHeld(id, 'account_not_active');
  await waits(id, 135 * SECOND);
  expect(await paymentStatus(id)).toBe('converting');
  await letTimePass(world, 16 * SECOND);
  const payment = await reaches(ada, id, 'failed');
  expect(payment.failureReason).toMatch(/account/);
  expect(late.sent()).toBe(2);
  expect(await balanceOf(ada)).toBe(50_000);
  expect(await movementsOf(ada, 'GBP')).toEqual(['CREDIT DEPOSIT 500.00']);
});

test('a conversion whose quote claims to live for an hour waits for five minutes, and the claim is a discrepancy', async () => {
  const { app } = world.service;
  app.provider = {
    ...provider,
    createQuote: async (request) => ({ ...(await provider.createQuote(request)), lifeMs: 60 * MINUTE }),
  };
  const quoted = await quote(ada, 13);
  expect(Date.parse(quoted.expiresAt)).toBeLessThanOrEqual(Date.now() + MINUTE);
  app.provider = provider;
  receiveLate(world, 'createTransfer', ['lost', 'insufficient_funds']);
  const id = await pay(ada, quoted);
  const discrepancy = await byTable(app.db)
    .selectFrom('discrepancies')
    .selectAll()
    .where('subject_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(discrepancy).toMatchObject({ kind: 'quote_lifetime', event_data: { lifeMs: 60 * MINUTE } });
  await isHeld(id, 'insufficient_funds');
  await waits(id, 6 * MINUTE);
  expect(await paymentStatus(id)).toBe('converting');
  await letTimePass(world, 31 * SECOND);
  await reaches(ada, id, 'failed');
});

test('a conversion whose quote was consumed by an unknown transfer never fails', async () => {
  const late = receiveLate(world, 'createTransfer', ['lost', 'quote_consumed']);
  const id = await pay(ada, await quote(ada, 14));
  await isHeld(id, 'quote_consumed');
  await waits(id, 20 * MINUTE);
  expect(await paymentStatus(id)).toBe('converting');
  expect(late.sent()).toBe(2);
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await transfersOf(world, id)).toHaveLength(1);
});

test('a refusal is pending if another run of the effect has gone unanswered since this run began', async () => {
  const { app } = world.service;
  const refusing = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  const late = receiveLate(world, 'createTransfer', ['insufficient_funds']);
  const refusal = app.provider;
  app.provider = {
    ...refusal,
    createTransfer: async (transfer) => {
      requested.resolve();
      await refusing.promise;
      return refusal.createTransfer(transfer);
    },
  };
  const id = await pay(ada, await quote(ada, 15));
  await requested.promise;
  const effect = await effectOf(id);
  await byTable(app.db)
    .updateTable('effects')
    .set({ last_unknown_at: world.clock.now() })
    .where('id', '=', effect.id)
    .execute();
  refusing.resolve();
  await isHeld(id, 'insufficient_funds');
  expect(await paymentStatus(id)).toBe('converting');
  expect((await effectOf(id)).last_unknown_at).not.toBeNull();
  expect(late.sent()).toBe(1);
});

test('a payout fails immediately if every request was answered', async () => {
  const late = receiveLate(world, 'createPayout', ['rejected']);
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'payout_failed');
  expect(late.sent()).toBe(1);
});

test('a payout that arrives 90 s late, though its repetition was refused, completes the payment and is paid once', async () => {
  const late = receiveLate(world, 'createPayout', ['lost', 'rejected']);
  const id = await pay(ada, await quote(ada, 21));
  await isHeld(id, 'rejected');
  await waits(id, 90 * SECOND);
  expect([await paymentStatus(id), late.sent()]).toEqual(['paying', 2]);
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('a payout that never arrives is repeated once after four minutes, and that refusal is final', async () => {
  const late = receiveLate(world, 'createPayout', ['lost', 'rejected']);
  const id = await pay(ada, await quote(ada, 22));
  await isHeld(id, 'rejected');
  await waits(id, 230 * SECOND);
  expect([await paymentStatus(id), late.sent()]).toEqual(['paying', 2]);
  await letTimePass(world, 15 * SECOND);
  await reaches(ada, id, 'payout_failed');
  expect(late.sent()).toBe(3);
  expect(await payoutsOf(world, id)).toEqual([]);
});

test('a payout that never arrives is repeated once after four minutes, and may be accepted then', async () => {
  const late = receiveLate(world, 'createPayout', ['lost', 'insufficient_funds', 'through']);
  const id = await pay(ada, await quote(ada, 23));
  await isHeld(id, 'insufficient_funds');
  await letTimePass(world, 241 * SECOND);
  await reaches(ada, id, 'completed');
  expect(late.sent()).toBe(3);
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('the four minutes of a payout count from its last unanswered request, not from the first', async () => {
  const late = receiveLate(world, 'createPayout', [{ lostFor: 100 * SECOND }, 'lost', 'rejected']);
  const id = await pay(ada, await quote(ada, 24));
  await until(
    () => effectOf(id),
    ({ type, attempts }) => type === 'startPayout' && attempts === 1,
  );
  await letTimePass(world, 2 * MINUTE);
  await isHeld(id, 'rejected');
  await waits(id, 3 * MINUTE);
  expect([await paymentStatus(id), late.sent()]).toEqual(['paying', 3]);
  await letTimePass(world, MINUTE);
  await reaches(ada, id, 'payout_failed');
  expect(late.sent()).toBe(4);
});

test('a reissued payout that arrives late completes the payment, and no attempt is lost', async () => {
  const id = await pay(ada, await quote(ada, 25), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const late = receiveLate(world, 'reissuePayout', ['lost', 'rejected']);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await isHeld(id, 'rejected');
  await waits(id, 90 * SECOND);
  expect([await paymentStatus(id), late.sent()]).toEqual(['paying', 2]);
  await late.arrive();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toMatchObject([{ attempt: 2, status: 'COMPLETED' }]);
});

test('a reissue that the provider answers with the previous attempt is repeated until the new attempt is made', async () => {
  const id = await pay(ada, await quote(ada, 26), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const { app } = world.service;
  app.provider = { ...provider, reissuePayout: ({ providerRef }) => provider.getPayout(providerRef) };
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  const effect = await until(
    () => effectOf(id),
    ({ attempts }) => attempts > 0,
  );
  expect([effect.status, await paymentStatus(id)]).toEqual(['queued', 'paying']);
  app.provider = provider;
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toMatchObject([{ attempt: 2, status: 'COMPLETED' }]);
});

test('a payout is not failed by the refusal of a run that another attempt has overtaken', async () => {
  const { app } = world.service;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  app.provider = {
    ...provider,
    createPayout: async (payout) => {
      const created = await provider.createPayout(payout);
      await released;
      return created;
    },
  };
  const id = await pay(ada, await quote(ada, 27), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const overtaken = await readEffect(app.db, await effectOf(id));
  const late = receiveLate(world, 'reissuePayout', ['lost']);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await until(
    () => effectOf(id),
    ({ attempts }) => attempts > 0,
  );
  const refusing: Provider<'background'> = {
    ...provider,
    reissuePayout: () => Promise.reject(new ProviderRefusal('rejected', 'reissuePayout')),
  };
  // The first effect stays leased meanwhile, so its lease token rejects nothing. Its run reads the payment only now.
  expect([overtaken.status, overtaken.leasedBy]).toEqual(['queued', expect.any(String)]);
  await startPayout({ ...app, provider: refusing }, { ...overtaken, readAt: overtaken.createdAt });
  expect(await paymentStatus(id)).toBe('paying');
  release();
  await late.arrive();
  late.end();
  await letTimePass(world, 0);
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toMatchObject([{ attempt: 2, status: 'COMPLETED' }]);
});

test('a payout is not decided by a run that lost its lease', async () => {
  const id = await pay(ada, await quote(ada, 28), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const completed = await readEffect(world.service.app.db, await effectOf(id));
  await expect(startPayout(world.service.app, { ...completed, readAt: completed.createdAt })).rejects.toThrow(
    LeaseLost,
  );
  expect(await paymentStatus(id)).toBe('payout_failed');
});

const withdrawStatus = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })).status;

const ends = (id: string, end: string) =>
  until(
    () => withdrawStatus(id),
    (status) => status === end,
  );

test('a withdrawal that arrives 90 s late completes and is debited once', async () => {
  const late = receiveLate(world, 'createPayout', ['lost', 'insufficient_funds']);
  const id = await withdraw(ada, 6_000);
  await isHeld(id, 'insufficient_funds');
  await waits(id, 90 * SECOND);
  expect([await withdrawStatus(id), late.sent()]).toEqual(['settling', 2]);
  await late.arrive();
  await letTimePass(world, 0);
  await ends(id, 'completed');
  expect(await payoutsOf(world, id, 'withdraw')).toHaveLength(1);
  expect(await balanceOf(ada)).toBe(44_000);
});

test('a withdrawal that never arrives is repeated once after four minutes, fails, and frees its money', async () => {
  const late = receiveLate(world, 'createPayout', ['lost', 'rejected']);
  const id = await withdraw(ada, 40_000);
  await isHeld(id, 'rejected');
  await waits(id, 90 * SECOND);
  await letTimePass(world, 155 * SECOND);
  await ends(id, 'failed');
  expect(late.sent()).toBe(3);
  late.end();
  // The money that was reserved for the failed withdrawal can be reserved again.
  await ends(await withdraw(ada, 45_000), 'completed');
  expect(await balanceOf(ada)).toBe(5_000);
});

test('an answer that proves that nothing was created keeps no refusal pending', async () => {
  const handles = new Set<string>();
  const { app } = world.service;
  app.provider = {
    ...provider,
    createPayout: async ({ handle }) => {
      if (handles.has(handle)) throw new ProviderRefusal('rejected', 'createPayout');
      handles.add(handle);
      throw new OutcomeUnknown('createPayout', 'answered 429', { status: 429, mayHaveActed: false });
    },
  };
  const id = await pay(ada, await quote(ada, 30));
  await reaches(ada, id, 'payout_failed');
  expect(handles).toEqual(new Set([handleFor(id, 'payout')]));
  expect((await effectOf(id)).last_unknown_at).toBeNull();
});
