// A process whose output has no reader any more: for any cause, it ends as at a stop signal, and holds nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { isAlive, ROOT, surroundings } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { goodEnv } from './good-env.ts';

/** Longer than a stop may take, because the machine may be busy; once it never ended. */
const WITHIN_MS = 40_000;

let database: TestDatabase;
let port: number;
const started: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => database.drop());

const service = ['src/start/serve.ts'];
/** A parent like another program's: it reads what its child says, and hands it on. */
const parent = (ipc: string) => [
  '--input-type=module',
  '--eval',
  `import { spawn } from 'node:child_process';
   const child = spawn(process.execPath, ['src/start/serve.ts'], { stdio: ['ignore', 'pipe', 'pipe'${ipc}] });
   child.stdout.pipe(process.stdout);
   child.stderr.pipe(process.stderr);
   console.log('child', child.pid);`,
];

/** All that this process has in common with us are two pipes. */
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

/** Keeps sending requests, so that there are lines to log, until the process has ended. */
async function endOf(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  await until(
    async () => (await answers()) || (child.exitCode ?? child.signalCode) === null,
    (goesOn) => !goesOn,
    WITHIN_MS,
  );
  return [child.exitCode, child.signalCode];
}

it('its standard output is closed: it stops at the next line, with a code that asks for a restart', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'debug' });
  child.stdout?.destroy();
  expect(await endOf(child)).toEqual([1, null]);
});

it('its standard error is closed: it stops at the next warning', async () => {
  const warn = 'setInterval(() => process.emitWarning(String(Math.random())), 200).unref()';
  const { child } = await start(service, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warn)}`,
  });
  child.stderr?.destroy();
  expect(await endOf(child)).toEqual([1, null]);
});

it('at a stop signal with its output closed already, it stops', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'info' });
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill('SIGTERM');
  expect(await endOf(child)).toEqual([0, null]);
});

it('a reader that does not read holds up no request, and no stop', async () => {
  const { child } = await start(service, { LOG_LEVEL: 'debug' });
  child.stdout?.pause();
  // More lines than fit into any pipe.
  const asked = Array.from({ length: 3_000 }, (_, one) => one);
  for (let from = 0; from < asked.length; from += 50)
    await Promise.all(asked.slice(from, from + 50).map(answers));
  expect(await answers()).toBe(true);
  child.kill('SIGTERM');
  expect(await endOf(child)).toEqual([0, null]);
});

it.each([
  ['with a channel to it', ", 'ipc'"],
  ['with nothing but pipes', ''],
])('its parent is killed, %s: it stops', async (_what, ipc) => {
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

it('its parent is gone before it is ready: it stops when it is', async () => {
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
