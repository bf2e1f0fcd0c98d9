// Stops a process in the middle of its work and continues it after others have taken over the work. It can no longer write outcomes
// for that work, and it continues under another id.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leasedIn, outboxEmpties } from '../support/outbox.ts';
import { pay, quote, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import type { World } from '../support/world.ts';
import { completes, completesOnce, effectsOf } from './payments.ts';
import { logged, processesIn, rowOf, startWorker } from './processes.ts';
import { startWithoutWorkers } from './without-workers.ts';

const STOPPED_FOR_MS = 8_000;
const WITHIN_MS = 240_000;

let world: World;
let proxy: UpstreamProxy;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ world, proxy, stop } = await startWithoutWorkers({ PROCESS_DEAD_AFTER_SECONDS: '3' }));
});
afterAll(() => stop());

test(
  'other processes decide the work of a process that is stopped for longer than the death timeout, and it continues under another id',
  async () => {
    const stopped = await startWorker(world);
    const people = await Promise.all([1, 2, 3].map(() => verified(world, { deposit: '500.00' })));
    const before = await rowOf(world, stopped);
    // The provider executes these requests, but its answers arrive after the process has stopped.
    const late = proxy.spoil({
      operation: 'createInternalTransfer',
      spoilt: 'late',
      silent: true,
      forwarded: true,
      times: people.length,
    });
    const ids = await Promise.all(people.map(async (person) => pay(person, await quote(person, 50))));
    await until(
      async () => late.hits(),
      (hits) => hits === people.length,
    );
    stopped.child.kill('SIGSTOP');
    const held = await leasedIn(world);
    expect(new Set(held.map(({ leasedBy }) => leasedBy))).toEqual(new Set([before.id]));

    const heir = await startWorker(world);
    await pause(STOPPED_FOR_MS);
    await Promise.all(ids.map((id) => completes(world, id)));
    expect(logged(heir, 'outbox.peer_dead')).toBe(1);
    const decided = await Promise.all(ids.map((id) => effectsOf(world, id)));

    stopped.child.kill('SIGCONT');
    await until(
      async () => [logged(stopped, 'outbox.replaced'), logged(stopped, 'outbox.lease_lost')],
      ([replaced, lost]) => replaced === 1 && lost === people.length,
    );
    expect(await Promise.all(ids.map((id) => effectsOf(world, id)))).toEqual(decided);
    for (const id of ids) await completesOnce(world, id);
    expect(proxy.count('createInternalTransfer')).toBe(people.length);

    const after = await rowOf(world, stopped);
    expect(after.id).not.toBe(before.id);
    expect((await processesIn(world)).map(({ id }) => id)).not.toContain(before.id);

    // The process still works: it completes a payment alone.
    heir.child.kill('SIGTERM');
    await heir.exited;
    const [ada] = people;
    if (!ada) throw new Error('no person');
    const id = await pay(ada, await quote(ada, 50));
    await completes(world, id);
    await outboxEmpties(world);
    expect((await rowOf(world, stopped)).id).toBe(after.id);
  },
  WITHIN_MS,
);
