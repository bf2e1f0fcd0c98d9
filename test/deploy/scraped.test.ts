// The rules of the nightly jobs, evaluated by a real Prometheus on what it has scraped from the service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { hasPrometheus, type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

describe.skipIf(!hasPrometheus)('with a Prometheus that scrapes the service', () => {
  let world: World;
  let prometheus: Prometheus;
  beforeAll(async () => {
    const port = await freePort();
    world = await startWorld({ env: { METRICS_PORT: String(port) } });
    prometheus = await startPrometheus(port);
  });
  afterAll(async () => {
    await prometheus.stop();
    await world.stop();
  });

  const jobsOf = async (alertname: string): Promise<string[]> =>
    (await prometheus.alerts())
      .filter(({ labels }) => labels['alertname'] === alertname)
      .map(({ labels }) => labels['nightly_job'] ?? '')
      .toSorted();

  test('a nightly job that never succeeded is reported for itself, whatever the other jobs did', async () => {
    await until(
      () => jobsOf('PonteNightNeverEnded'),
      (jobs) => jobs.length === 4,
    );
    expect((await runJob(world.service.app, 'purge-payloads')).run.finishedAt).not.toBeNull();
    const jobs = await until(
      () => jobsOf('PonteNightNeverEnded'),
      (names) => !names.includes('purge-payloads'),
    );
    expect(jobs).toEqual(['audit-verify', 'erase-due', 'reconcile']);
  });
});
