// Stops a process by SIGTERM in the middle of its work. It releases work that has not begun unchanged and unanswered work as sent.
// Another process continues both.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { leasedIn, outboxEmpties } from '../support/outbox.ts';
import { type Person, pay, quote, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import type { World } from '../support/world.ts';
import { completesOnce, effectsOf } from './payments.ts';
import { processesIn, rowOf, startWorker } from './processes.ts';
import { startWithoutWorkers } from './without-workers.ts';

/** One user may use two of a process's four slots. */
const MAX_OF_ONE_USER = 2;

let world: World;
let proxy: UpstreamProxy;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ world, proxy, stop } = await startWithoutWorkers({ WORKER_CONCURRENCY: '4' }));
});
afterAll(() => stop());

test('SIGTERM ends every lease, and work counts as sent only if it began and got no answer', async () => {
  const url = await freePort();
  const stopping = await startWorker(world, { ROLE: 'all', PORT: String(url) });
  const there: World = { ...world, url: `http://127.0.0.1:${url}` };
  const ada: Person = await verified(there, { deposit: '500.00' });
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const hanging = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'hang',
    silent: true,
    forwarded: true,
    times: MAX_OF_ONE_USER,
    about,
  });
  const ids: string[] = [];
  for (let payments = 0; payments < 5; payments += 1) ids.push(await pay(ada, await quote(ada, 10)));
  const { id: owner } = await rowOf(world, stopping);
  await until(
    () => leasedIn(world),
    // As many as run may wait in memory. The work of the fifth payment is due.
    (works) => works.length === 2 * MAX_OF_ONE_USER && hanging.hits() === MAX_OF_ONE_USER,
  );
  expect((await leasedIn(world)).every(({ leasedBy }) => leasedBy === owner)).toBe(true);

  stopping.child.kill('SIGTERM');
  expect(await stopping.exited).toMatchObject({ code: 0 });
  expect(await leasedIn(world)).toEqual([]);
  expect(await processesIn(world)).toEqual([]);
  const effects = (await Promise.all(ids.map((id) => effectsOf(world, id)))).flat();
  expect(effects).toHaveLength(ids.length);
  const states = effects.map(
    ({ status, attempts, last_unknown_at: sentAt }) =>
      `${status}, ${sentAt === null ? 'not sent' : 'sent'}, ${attempts} attempts`,
  );
  expect(states.toSorted()).toEqual([
    'queued, not sent, 0 attempts',
    'queued, not sent, 0 attempts',
    'queued, not sent, 0 attempts',
    'queued, sent, 1 attempts',
    'queued, sent, 1 attempts',
  ]);

  await startWorker(world);
  for (const id of ids) {
    await completesOnce(world, id);
  }
  // The new process found what the provider had created and did not request it again.
  expect(proxy.count('createInternalTransfer', about)).toBe(ids.length);
  await outboxEmpties(world);
});
