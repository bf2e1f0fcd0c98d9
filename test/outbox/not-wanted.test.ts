// Effects that do not run: their subject has a newer transition, they are done, or this version does not know their type.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { runEffect } from '../../src/effects/run.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { byTable } from '../support/by-table.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { effectsOf } from './payments.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '1000.00' });

const effectOf = (id: string) =>
  byTable(db()).selectFrom('effects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function completedPayment(): Promise<string> {
  const id = await pay(ada, await quote(ada, 10));
  await reaches(ada, id, 'completed');
  return id;
}

test('an effect whose subject has a newer transition does nothing', async () => {
  const id = await completedPayment();
  const startPayout = (await effectsOf(world, id)).find(({ type }) => type === 'startPayout');
  if (!startPayout) throw new Error('no payout');
  const again = { id: newId(), status: 'queued', attempts: 0, due_at: new Date() } as const;
  const created = proxy.count('createPayout');
  await byTable(db())
    .insertInto('effects')
    .values({ ...startPayout, ...again, params: {}, finished_at: null })
    .execute();
  const { status } = await until(
    () => effectOf(again.id),
    (effect) => effect.status !== 'queued',
  );
  expect(status).toBe('superseded');
  expect(proxy.count('createPayout')).toBe(created);
  expect(await payoutsOf(world, id)).toHaveLength(1);
});

test('an effect that is done does not run again', async () => {
  const [conversion] = await effectsOf(world, await completedPayment());
  if (!conversion) throw new Error('no conversion');
  const created = proxy.count('createInternalTransfer');
  await expect(
    runEffect({ ...world.service.app, effectHandlers }, { id: conversion.id, userId: conversion.user_id }),
  ).rejects.toThrow(LeaseLost);
  expect(proxy.count('createInternalTransfer')).toBe(created);
  expect(await effectOf(conversion.id)).toEqual(conversion);
});

test('an effect that this version does not know is kept and tried again', async () => {
  const id = await completedPayment();
  const { seq } = await byTable(db())
    .selectFrom('pix_payments')
    .select('seq')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const effect = {
    id: newId(),
    user_id: ada.userId,
    subject_kind: 'pix_payment',
    subject_id: id,
    seq,
    // A type of a future version.
    type: 'sendPostcard' as 'startPayout',
    params: {},
    created_at: new Date(),
    due_at: new Date(),
  } as const;
  await sql`alter type effect_type add value 'sendPostcard'`.execute(db());
  await byTable(db()).insertInto('effects').values(effect).execute();
  const tried = await until(
    () => effectOf(effect.id),
    ({ attempts }) => attempts > 0,
  );
  expect(tried).toMatchObject({ status: 'queued', attempts: 1, last_error: 'Error', leased_by: null });
  expect(tried.due_at?.getTime()).toBeGreaterThan(effect.due_at.getTime());
});
