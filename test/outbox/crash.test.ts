// A process that is killed in the middle of its work: another one finishes it, and the provider has everything once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { depositInstructions } from '../../scripts/journey/person.ts';
import { sendMoney } from '../../scripts/journey/sandbox.ts';
import { leasedIn, workIn } from '../support/outbox.ts';
import { balanceOf, verified } from '../support/person.ts';
import { killProcesses } from '../support/process.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';
import {
  COMPLETED_ONCE,
  completes,
  effectsOf,
  hangingPayment,
  historyOf,
  logged,
  NO_TIMEOUT_MS,
  processesIn,
  rowOf,
  startWorker,
} from './processes.ts';

let world: World;
let proxy: UpstreamProxy;

// The world's own process serves HTTP only; those that work are processes of their own, so that they can be killed.
beforeAll(async () => {
  world = await startWorld({
    env: { ROLE: 'api', PROVIDER_TIMEOUT_MS: NO_TIMEOUT_MS, PROCESS_DEAD_AFTER_SECONDS: '3' },
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await killProcesses();
  await world.stop();
  await proxy.close();
});

it('the work of a killed process is finished by another; the provider has one object of it', async () => {
  const doomed = await startWorker(world);
  const ada = await verified(world, { deposit: '500.00' });
  const { id, hits, work } = await hangingPayment(ada, proxy);
  const { id: owner } = await rowOf(world, doomed);
  expect(work.leasedBy).toBe(owner);
  doomed.child.kill('SIGKILL');
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });

  const heirs = await Promise.all([startWorker(world), startWorker(world)]);
  await completes(world, id);
  // It found what the killed one had made, and sent nothing again.
  expect(hits()).toBe(1);
  expect(proxy.count('createInternalTransfer')).toBe(1);
  expect(await transfersOf(world, id)).toHaveLength(1);
  expect(await payoutsOf(world, id)).toHaveLength(1);
  expect(await movementsOf(ada, 'BRL')).toEqual(['CREDIT INTERNAL_TRANSFER 50.00', 'DEBIT PAYOUT 50.00']);
  expect(await historyOf(world, id)).toEqual(COMPLETED_ONCE);
  const [conversion] = await effectsOf(world, id);
  expect(conversion).toMatchObject({ status: 'done', last_unknown_at: expect.any(Date) });

  expect((await processesIn(world)).map((row) => row.id)).not.toContain(owner);
  expect(heirs.map((heir) => logged(heir, 'outbox.peer_dead')).reduce((sum, many) => sum + many)).toBe(1);
  await until(
    () => workIn(world),
    (works) => works.length === 0,
  );
});

it('a callback that a killed process had begun is processed by another', async () => {
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
  await until(
    () => workIn(world),
    (works) => works.length === 0,
    90_000,
  );
  expect(await balanceOf(ada)).toBe(51_000);
  expect(proxy.count('getMovement')).toBeGreaterThan(1);
});
