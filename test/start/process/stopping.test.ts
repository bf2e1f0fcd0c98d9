// A stop signal while a load balancer still sends requests. They are answered until it has noticed that the process is stopping.
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import project from '../../../package.json' with { type: 'json' };
import { killProcesses, type ServiceProcess, startReadyProcess } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../support/use-database.ts';
import { goodEnv } from './good-env.ts';

const database = useDatabase();

afterAll(async () => {
  await killProcesses();
});

type Running = { service: ServiceProcess; url: string; metricsUrl: string };

async function start(env: NodeJS.ProcessEnv): Promise<Running> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const service = await startReadyProcess({ ...goodEnv(database.url), ROLE: 'api', ...ports, ...env });
  return { service, url: `http://127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}` };
}

test('a process that receives a stop signal reports that it is stopping, and answers requests until its delay ends', async () => {
  // The delay is longer than this test, which kills the process.
  const { service, url, metricsUrl } = await start({ SHUTDOWN_DELAY_SECONDS: '3000' });
  const before = await fetch(`${url}/health`);
  expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
  expect(before.headers.get('keep-alive')).toBe('timeout=75');
  service.child.kill('SIGTERM');
  const ready = await until(
    () => fetch(`${metricsUrl}/ready`),
    ({ status }) => status === 503,
  );
  expect(await ready.json()).toMatchObject({ faults: ['stopping'] });
  for (let round = 0; round < 3; round += 1) {
    const answered = await fetch(`${url}/health`);
    expect([answered.status, answered.headers.get('connection')]).toEqual([200, 'close']);
  }
  expect(service.child.exitCode).toBeNull();
});

test('a process ends by itself after its delay', async () => {
  const { service } = await start({ SHUTDOWN_DELAY_SECONDS: '1' });
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.output()).toContain('"code":"service.stopped"');
});

const COMMIT = 'a1cb318804deed30e333ad87e4bb29264b1dd9d3';

test('a process reports its version and commit in its ready line and in its metrics', async () => {
  const { service, metricsUrl } = await start({ BUILD_COMMIT: COMMIT });
  await until(
    async () => service.output(),
    (seen) => seen.includes('"code":"service.ready"'),
  );
  const line = service
    .output()
    .split('\n')
    .find((one) => one.includes('"code":"service.ready"'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ version: project.version, commit: COMMIT });
  expect(await (await fetch(`${metricsUrl}/metrics`)).text()).toContain(
    `ponte_build_info{version="${project.version}",commit="${COMMIT}"} 1`,
  );
});
