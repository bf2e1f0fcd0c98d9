// A callback is answered with 200 only after its event is committed. While the event cannot be stored, there is no answer.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { waitingForTable, whileLocked } from '../support/locks.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

test('a callback is acknowledged when it is stored, and not before', async () => {
  const { db } = world.service.app;
  let answered = false;
  const status = Promise.withResolvers<number>();
  await whileLocked(world.databaseUrl, 'webhook_events', 'exclusive', async () => {
    const data = { uuid: randomUUID(), status: 'COMPLETED' };
    const call = send({ event: 'payout.updated', data, updated_at: new Date().toISOString() });
    void call.finally(() => {
      answered = true;
    });
    status.resolve(call);
    await until(() => waitingForTable(db, 'webhook_events'), Boolean);
    // This is long enough for an answer that does not wait for the table.
    await pause(200);
    expect(answered).toBe(false);
  });
  expect(await status.promise).toBe(200);
  expect(await byTable(db).selectFrom('webhook_events').select('id').execute()).toHaveLength(1);
});

async function send(body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  return (await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}
