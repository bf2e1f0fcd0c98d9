// The listening addresses are the configured ones. Metrics listen on this machine only by default.
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { isOpen, toOthers } from '../../support/listening.ts';
import { killProcesses, startProcess, startReadyProcess } from '../../support/process.ts';
import { useDatabase } from '../../support/use-database.ts';
import { goodEnv } from './good-env.ts';

const database = useDatabase();

afterAll(async () => {
  await killProcesses();
});

/** Whether requests and metrics are open to this machine, and to others. */
async function openWith(env: NodeJS.ProcessEnv): Promise<Record<'here' | 'others', [boolean, boolean]>> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort), ROLE: 'api' };
  await startReadyProcess({ ...goodEnv(database.url), ...ports, ...env });
  const at = async (host: string): Promise<[boolean, boolean]> => [
    await isOpen(host, port),
    await isOpen(host, metricsPort),
  ];
  return { here: await at('127.0.0.1'), others: await at(toOthers) };
}

test('the service keeps its metrics to this machine by default', async () => {
  expect(await openWith({})).toMatchObject({ here: [true, true], others: [expect.any(Boolean), false] });
});

test('the service keeps everything to this machine if LISTEN_HOST says so', async () => {
  expect(await openWith({ LISTEN_HOST: '127.0.0.1' })).toEqual({
    here: [true, true],
    others: [false, false],
  });
});

test('the service reports a listening address that is not an address of this machine', async () => {
  const service = startProcess({ ...goodEnv(database.url), LISTEN_HOST: '192.0.2.1' });
  expect(await service.exited).toMatchObject({ code: 1 });
  expect(service.output()).toBe('LISTEN_HOST or METRICS_HOST is not an address of this machine.\n');
});

test('the sandbox keeps to this machine if its host says so', async () => {
  const sandbox = await startSandbox({ host: '127.0.0.1' });
  const port = Number(new URL(sandbox.url).port);
  expect([await isOpen('127.0.0.1', port), await isOpen(toOthers, port)]).toEqual([true, false]);
  await sandbox.close();
});
