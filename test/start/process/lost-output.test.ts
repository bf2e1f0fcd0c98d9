// A process whose output has lost its reader ends as at a stop signal, whatever the cause, and keeps no resources.
import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import { isAlive, ROOT, surroundings } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../support/use-database.ts';
import { goodEnv } from './good-env.ts';

/** Longer than a stop may take, because the machine may be busy. */
const WITHIN_MS = 40_000;

const database = useDatabase();
let port: number;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const service = ['src/start/serve.ts'];
/** A parent like that of another program: it reads the output of its child and passes it on. */
const parent = (ipc: string) => [
  '--input-type=module',
  '--eval',
  `import { spawn } from 'node:child_process';
   const child = spawn(process.execPath, ['src/start/serve.ts'], { stdio: ['ignore', 'pipe', 'pipe'${ipc}] });
   child.stdout.pipe(process.stdout);
   child.stderr.pipe(process.stderr);
   console.log('child', child.pid);`,
];

/** Starts a process that shares only two pipes with this one. */
async function start(
  args: string[],
  settings: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; output: string }> {
  port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...surroundings(), ...goodEnv(database.url), PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(
    async () => output,
    (seen) => seen.includes('"code":"service.ready"'),
    WITHIN_MS,
  );
  return { child, output };
}

const answers = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Keeps sending requests until the process has ended, so that it has lines to log. */
async function endOf(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  await until(
    async () => (await answers()) || (child.exitCode ?? child.signalCode) === null,
    (goesOn) => !goesOn,
    WITHIN_MS,
  );
  return [child.exitCode, child.signalCode];
}

test('a process whose standard output is closed stops at its next line, with an exit code that requests a restart', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'debug' });
  child.stdout?.destroy();
  expect(await endOf(child)).toEqual([1, null]);
});

test('a process whose standard error is closed stops at its next warning', async () => {
  const warn = 'setInterval(() => process.emitWarning(String(Math.random())), 200).unref()';
  const { child } = await start(service, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warn)}`,
  });
  child.stderr?.destroy();
  expect(await endOf(child)).toEqual([1, null]);
});

test('a process whose output is closed stops at a stop signal', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'info' });
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill('SIGTERM');
  expect(await endOf(child)).toEqual([0, null]);
});

test('a reader that does not read delays neither requests nor a stop', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'debug' });
  child.stdout?.pause();
  // More lines than fit into any pipe.
  const requests = Array.from({ length: 3_000 }, (_, one) => one);
  for (let from = 0; from < requests.length; from += 50)
    await Promise.all(requests.slice(from, from + 50).map(answers));
  expect(await answers()).toBe(true);
  child.kill('SIGTERM');
  expect(await endOf(child)).toEqual([0, null]);
});

test.each([
  ['with an IPC channel to it', ", 'ipc'"],
  ['with nothing but pipes', ''],
])('a process whose parent is killed stops, %s', async (_what, ipc) => {
  const { child: launcher, output } = await start(parent(ipc), { LOG_LEVEL: 'debug' });
  const pid = Number(/child (\d+)/.exec(output)?.[1]);
  expect(isAlive(pid)).toBe(true);
  launcher.kill('SIGKILL');
  await until(
    async () => (await answers()) || isAlive(pid),
    (goesOn) => !goesOn,
    WITHIN_MS,
  );
});

test('a process whose parent is gone before it is ready stops as soon as it is ready', async () => {
  port = await freePort();
  const child = spawn(process.execPath, service, {
    cwd: ROOT,
    env: { ...surroundings(), ...goodEnv(database.url), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  started.push(child);
  child.disconnect();
  await until(
    async () => child.exitCode ?? child.signalCode,
    (end) => end !== null,
    WITHIN_MS,
  );
  expect([child.exitCode, child.signalCode]).toEqual([0, null]);
});
