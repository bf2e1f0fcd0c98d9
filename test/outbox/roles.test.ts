// A process that serves only the API leaves work due and notifies the workers. Without a notification, the workers find the work by
// polling.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { createOutbox, transaction } from '../../src/outbox/hand-off.ts';
import { createNotifier } from '../../src/outbox/notify.ts';
import { CHANNEL } from '../../src/tables/processes/statements.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { workIn } from '../support/outbox.ts';
import { pay, quote, signUp, verified } from '../support/person.ts';
import { killProcesses, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';
import { COMPLETED_ONCE, completes, historyOf } from './payments.ts';
import { processesIn, rowOf, startWorker } from './processes.ts';

let listener: Client;
let notified = 0;

const { world } = useWorld({ env: { ROLE: 'api' } });
beforeAll(async () => {
  listener = new Client({ connectionString: world.databaseUrl });
  listener.on('notification', ({ channel }) => {
    if (channel === CHANNEL) notified += 1;
  });
  await listener.connect();
  await listener.query(`listen ${CHANNEL}`);
});
afterAll(async () => {
  await listener.end();
  await killProcesses();
});

test('an API process leaves the work that it commits due and without a lease, and notifies the workers', async () => {
  const { ponte } = await signUp(world);
  expect(notified).toBe(0);
  await ponte.saveBankDetails(gbp);
  const works = await until(
    () => workIn(world),
    ({ length }) => length > 0,
  );
  expect(works).toMatchObject([{ type: 'validateBankDetails', leasedBy: null, attempts: 0 }]);
  await until(
    async () => notified,
    (times) => times === 1,
  );
  expect(await processesIn(world)).toEqual([]);
});

test('the notifier combines concurrent commits into one notification', async () => {
  const before = notified;
  const { committed } = createNotifier(world.service.app.db);
  for (let commits = 0; commits < 50; commits += 1) committed([], 2);
  await until(
    async () => notified,
    (times) => times > before,
  );
  // Notifications arrive in order, so a second one would arrive before this one.
  await listener.query(`notify ${CHANNEL}`);
  await until(
    async () => notified,
    (times) => times > before + 1,
  );
  expect(notified).toBe(before + 2);
});

test('the notifier sends nothing for commits without work', async () => {
  const before = notified;
  const { committed } = createNotifier(world.service.app.db);
  committed([], 0);
  await quoteRefused(world);
  await listener.query(`notify ${CHANNEL}`);
  await until(
    async () => notified,
    (times) => times > before,
  );
  expect(notified).toBe(before + 1);
});

describe('a worker process', () => {
  let worker: ServiceProcess;
  beforeAll(async () => {
    worker = await startWorker(world);
  });

  // No callback is on its way yet. A callback that arrived late would notify the workers.
  test('a worker finds work that was committed without a notification', async () => {
    const { db, clock } = world.service.app;
    const before = notified;
    const subject = { kind: 'bank_details', id: newId(), userId: newId(), seq: 1 } as const;
    const effect = { type: 'validateBankDetails' } as const;
    await transaction({ db, outbox: createOutbox() }, (tx) =>
      enqueueEffect(tx, { subject, effect, resource: null, now: clock.now() }),
    );
    // The subject does not exist, so the effect is superseded.
    const { status } = await until(
      () =>
        byTable(db)
          .selectFrom('effects')
          .select('status')
          .where('subject_id', '=', subject.id)
          .executeTakeFirstOrThrow(),
      (row) => row.status !== 'queued',
    );
    expect(status).toBe('superseded');
    expect(notified).toBe(before);
  });

  test('a worker runs the work that an API process committed', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const id = await pay(ada, await quote(ada, 50));
    await completes(world, id);
    expect(await historyOf(world, id)).toEqual(COMPLETED_ONCE);
    expect(await processesIn(world)).toHaveLength(1);
    expect((await rowOf(world, worker)).heartbeat).toBeGreaterThan(0);
  });
});

async function quoteRefused(there: World): Promise<void> {
  const { api } = await signUp(there);
  const { response } = await api.POST('/pix/quote', { body: { amountBrl: 10 } });
  expect(response.status).toBe(409);
}
