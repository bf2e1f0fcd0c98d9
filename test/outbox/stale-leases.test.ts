// A run whose row another process has claimed writes nothing: it does not plan a retry, decide anything or finish a callback.

import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { lockEffect } from '../../src/effects/complete.ts';
import { storePendingRefusal } from '../../src/effects/fail-definitively.ts';
import { postpone } from '../../src/effects/postpone.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { createOutbox, transaction } from '../../src/outbox/hand-off.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';
import { inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { effectWork } from '../../src/tables/effects/work.ts';
import { findCallback } from '../../src/tables/webhook-events/statements.ts';
import { dispatchWebhook } from '../../src/webhooks/dispatch.ts';
import { byTable } from '../support/by-table.ts';
import { signUp } from '../support/person.ts';
import { readEffect } from '../support/read-effect.ts';
import { useWorld } from '../support/use-world.ts';

let userId: string;
// Only these tests run work here.
const { world, db } = useWorld({ env: { ROLE: 'api' } });
beforeAll(async () => {
  ({ userId } = await signUp(world));
});

/** An effect as a run read it, before its row was leased to another process. */
async function staleEffect() {
  const subject = { kind: 'bank_details', id: newId(), userId, seq: 1 } as const;
  await transaction({ db: db(), outbox: createOutbox() }, (tx) =>
    enqueueEffect(tx, {
      subject,
      effect: { type: 'validateBankDetails' },
      resource: null,
      now: world.clock.now(),
    }),
  );
  const { id } = await byTable(db())
    .selectFrom('effects')
    .select('id')
    .where('subject_id', '=', subject.id)
    .executeTakeFirstOrThrow();
  const find = () => readEffect(db(), { id });
  const stale = await find();
  await byTable(db())
    .updateTable('effects')
    .set({ leased_by: newId(), lease_token: stale.leaseToken + 2 })
    .where('id', '=', id)
    .execute();
  return { stale, find };
}

test('a run without its lease does not postpone the effect', async () => {
  const { stale, find } = await staleEffect();
  const before = await find();
  const error = new OutcomeUnknown('createPayout', 'no usable answer');
  await expect(postpone(world.service.app, stale, error)).rejects.toThrow(LeaseLost);
  expect(await find()).toEqual(before);
});

test('a run without its lease cannot lock the effect, so it decides nothing', async () => {
  const { stale, find } = await staleEffect();
  await expect(inDbTransaction(db(), (tx) => lockEffect(tx, stale))).rejects.toThrow(LeaseLost);
  const latest = await find();
  expect(await inDbTransaction(db(), (tx) => lockEffect(tx, latest))).toMatchObject({ id: latest.id });
});

test('a run without its lease stores no pending refusal', async () => {
  const { stale, find } = await staleEffect();
  await expect(storePendingRefusal(db(), stale, 'rejected')).rejects.toThrow(LeaseLost);
  expect((await find()).heldRefusal).toBeNull();
});

test('a process releases its own leases only', async () => {
  const { stale, find } = await staleEffect();
  const before = await find();
  const keys = { userIds: [stale.userId], ids: [stale.id] };
  await effectWork.release(db(), { owner: newId(), ...keys });
  expect(await find()).toEqual(before);
  await effectWork.release(db(), { owner: before.leasedBy ?? '', ...keys });
  expect(await find()).toEqual({ ...before, leasedBy: null });
});

test.each([
  ['closed', { event: 'nothing.known', data: {} }],
  ['postponed', { event: 'payout.updated', data: { uuid: randomUUID() } }],
])('a callback is not %s by a run without its lease', async (_, body) => {
  const id = newId();
  const row = {
    id,
    provider: 'a provider',
    identity: randomBytes(32),
    event_type: body.event,
    payload_sealed: Buffer.from('sealed'),
    received_at: new Date(),
    due_at: new Date(),
    leased_by: newId(),
    lease_token: 3,
  };
  await byTable(db()).insertInto('webhook_events').values(row).execute();
  const before = await findCallback(db(), { id });
  if (!before) throw new Error('it was not stored');
  const run = dispatchWebhook(world.service.app, {
    id,
    userId: newId(),
    token: 2,
    committed: { callback: { ...before, leaseToken: 2 }, payload: Buffer.from(JSON.stringify(body)) },
  });
  await expect(run).rejects.toThrow(LeaseLost);
  expect(await findCallback(db(), { id })).toEqual(before);
});
