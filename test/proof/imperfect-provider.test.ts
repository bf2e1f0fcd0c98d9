// The chaos run's imperfect provider: off unless requested, configured as documented, and waited for at the end.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lateRequestsArrived, MILD_FAULTS } from '../../proof/chaos/imperfect-provider.ts';
import { readOptions } from '../../proof/chaos/options.ts';
import { createProviderFaultInjection } from '../../proof/chaos/provider-faults.ts';
import { tablesOf } from '../../proof/chaos/report.ts';
import { createCounts } from '../../proof/stack/counts.ts';
import { PROVIDER_FAULTS } from '../../sandbox/faults/registry.ts';
import { readFaults, see, stopFaults } from '../sandbox/fault-injection-support.ts';
import { fpsBody, fundedWallet, startUpstream, type Upstream } from '../sandbox/support.ts';
import { lateRequests, orderFault, receiveLateRequests } from '../support/provider-faults.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

test('the imperfect provider is off unless it is requested', () => {
  expect(readOptions([]).imperfectProvider).toBe(false);
  expect(readOptions(['--long', '--imperfect-provider']).imperfectProvider).toBe(true);
});

test('the imperfect provider has a rate for every fault, and the sandbox accepts the rates', async () => {
  expect(PROVIDER_FAULTS.filter((fault) => MILD_FAULTS[fault] === undefined)).toEqual([]);
  await createProviderFaultInjection(upstream.url, 7, MILD_FAULTS).start();
  expect((await readFaults(upstream)).body).toMatchObject({ seed: 7, provider: MILD_FAULTS });
  await createProviderFaultInjection(upstream.url, 7, {}).start();
  expect((await readFaults(upstream)).body.provider).toMatchObject({ receivedLate: 0, clockAheadMs: 0 });
  await stopFaults(upstream);
});

const report = (args: string[], providerFaults: typeof MILD_FAULTS) =>
  tablesOf({
    options: readOptions(['--seed', '20261122', ...args]),
    providerFaults,
    counts: createCounts(),
    ends: { payments: [], withdraws: [], deposits: 0 },
    faults: {},
    rest: {
      byItselfAfterMs: 0,
      runs: 1,
      reconciledInMs: 0,
      decisions: 0,
      heldForMs: 0,
      restedAfterMs: 0,
    },
    findings: [],
    tookMs: 0,
  });

test('the report of a run with an imperfect provider contains its rates and the seed', () => {
  const imperfect = report(['--imperfect-provider'], MILD_FAULTS);
  expect(imperfect).toContain('Imperfect provider, seed 20261122');
  expect(imperfect).toMatch(/\| receivedLate +\| +0\.01 \|/);
  expect(report([], {})).not.toContain('Imperfect provider');
});

test('the run waits until the last late request has arrived', async () => {
  const wallet = await fundedWallet(upstream);
  await orderFault(upstream.url, { operation: 'createPayout', fault: 'receivedLate' });
  await see(upstream, '/v1/payouts/', fpsBody(wallet, '1.00'));
  let isOver = false;
  const waiting = lateRequestsArrived(upstream.url).then(() => (isOver = true));
  expect(await lateRequests(upstream.url)).toMatchObject([{ received_at: null }]);
  expect(isOver).toBe(false);
  await receiveLateRequests(upstream.url);
  await waiting;
  expect(await lateRequests(upstream.url)).toMatchObject([{ status: 201 }]);
});
