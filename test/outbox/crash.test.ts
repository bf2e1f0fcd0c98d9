// Kills a process in the middle of its work. Another process finishes the work, and the provider has each object once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { depositInstructions } from '../../harness/people/person.ts';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { leasedIn, outboxEmpties } from '../support/outbox.ts';
import { balanceOf, verified } from '../support/person.ts';
import { killProcesses } from '../support/process.ts';
import { until } from '../support/until.ts';
import { movementsOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import type { World } from '../support/world.ts';
import { completesOnce, effectsOf, hangingPayment } from './payments.ts';
import { logged, processesIn, rowOf, startWorker } from './processes.ts';
import { startWithoutWorkers } from './without-workers.ts';

let world: World;
let proxy: UpstreamProxy;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ world, proxy, stop } = await startWithoutWorkers({ PROCESS_DEAD_AFTER_SECONDS: '3' }));
});
afterAll(() => stop());

test('the work of a killed process is finished by another, and the provider has one object of it', async () => {
  const doomed = await startWorker(world);
  const ada = await verified(world, { deposit: '500.00' });
  const { id, hits, work } = await hangingPayment(ada, proxy);
  const { id: owner } = await rowOf(world, doomed);
  expect(work.leasedBy).toBe(owner);
  doomed.child.kill('SIGKILL');
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });

  const heirs = await Promise.all([startWorker(world), startWorker(world)]);
  await completesOnce(world, id);
  // The new owner found the transfer of the killed process and did not send it again.
  expect(hits()).toBe(1);
  expect(proxy.count('createInternalTransfer')).toBe(1);
  expect(await movementsOf(ada, 'BRL')).toEqual(['CREDIT INTERNAL_TRANSFER 50.00', 'DEBIT PAYOUT 50.00']);
  const [conversion] = await effectsOf(world, id);
  expect(conversion).toMatchObject({ status: 'done', last_unknown_at: expect.any(Date) });

  expect((await processesIn(world)).map((row) => row.id)).not.toContain(owner);
  expect(heirs.map((heir) => logged(heir, 'outbox.peer_dead')).reduce((sum, count) => sum + count)).toBe(1);
  await outboxEmpties(world);
});

test('a callback that a killed process had begun is processed by another process', async () => {
  await killProcesses();
  const doomed = await startWorker(world);
  const ada = await verified(world, { deposit: '500.00' });
  const to = await depositInstructions(ada);
  const hanging = proxy.spoil({ operation: 'getMovement', spoilt: 'hang', forwarded: true });
  await sendMoney(world, to, '10.00');
  await until(
    () => leasedIn(world),
    (works) => works.some(({ kind }) => kind === 'callback') && hanging.hits() === 1,
  );
  doomed.child.kill('SIGKILL');
  await doomed.exited;
  await startWorker(world);
  await outboxEmpties(world, 90_000);
  expect(await balanceOf(ada)).toBe(51_000);
  expect(proxy.count('getMovement')).toBeGreaterThan(1);
});
