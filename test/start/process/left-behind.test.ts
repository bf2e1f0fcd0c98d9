// The scripts that start a whole stack leave nothing behind, however they end: no process, not even the database's, no port and no
// temporary folder. They run with npm, as users run them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import { isOpen, toOthers } from '../../support/listening.ts';
import { ROOT, surroundings } from '../../support/process.ts';
import { until } from '../../support/until.ts';

// Each test starts a whole stack, on a machine that may be busy.
const WITHIN_MS = 100_000;

/** The folder for temporary folders. Every process that is started has it in its environment or its arguments. */
let temporary: string;
let ports: { PORT: string; SANDBOX_PORT: string };
let output: string;

beforeEach(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'ponte-left-'));
  chmodSync(temporary, 0o755);
  ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
  output = '';
});
afterEach(() => {
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
});

/** Every process that was started from here, including all descendants. */
function processes(): { pid: number; command: string }[] {
  const { stdout } = spawnSync('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return stdout
    .split('\n')
    .filter((line) => line.includes(temporary))
    .map((line) => /^\s*(?<pid>\d+)\s+(?<stat>\S+)\s+(?<command>.*)$/.exec(line)?.groups ?? {})
    .filter(({ stat = 'Z' }) => !stat.startsWith('Z'))
    .map(({ pid, command = '' }) => ({ pid: Number(pid), command: command.slice(0, 200) }));
}

function run(command: string): ChildProcess {
  const child = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: {
      ...surroundings(),
      HOME: process.env['HOME'],
      TMPDIR: temporary,
      ...ports,
      DATA_FOLDER: join(temporary, 'data'),
      // The tests must use no other stack on the machine.
      PONTE_URL: 'http://127.0.0.1:9',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return child;
}

const keep = (chunk: Buffer): void => {
  output += chunk.toString();
};

const said = (text: string) =>
  until(
    async () => output,
    (seen) => seen.includes(text),
    WITHIN_MS,
  );
const started = (part: RegExp) => processes().filter(({ command }) => part.test(command));
const kill = (part: RegExp): void => {
  const [first] = started(part);
  if (!first) throw new Error(`nothing like ${part} is running: ${JSON.stringify(processes())}`);
  process.kill(first.pid, 'SIGKILL');
};
const nothingRuns = () =>
  until(
    async () => processes().map(({ command }) => command),
    ({ length }) => length === 0,
    WITHIN_MS,
  );
const foldersLeft = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('ponte-'));

const npm = /^(\S*node \S*npm\S* |npm )/;
const script = /^\S*node scripts\/start\.ts/;
const postgres = /bin\/postgres -D/;

test('npm run demo leaves nothing behind when its reader closes the pipe', async () => {
  const demo = run('npm run demo | head -n 12');
  await until(
    async () => demo.exitCode,
    (code) => code !== null,
    WITHIN_MS,
  );
  expect(output).toContain('1. sign in');
  await nothingRuns();
  expect(foldersLeft()).toEqual([]);
});

test('npm run demo leaves nothing behind when the script is killed', async () => {
  run('exec npm run demo');
  await said('1. sign in');
  expect(started(postgres)).toHaveLength(1);
  kill(/^\S*node scripts\/demo\.ts/);
  await nothingRuns();
  expect(foldersLeft()).toEqual([]);
});

test('npm start is open to this machine alone, prints links to pages that open, and refuses a second stack in its data folder', async () => {
  const start = run('exec npm start');
  await said('Preparing Ponte in');
  await said('Ponte is ready');
  for (const port of [Number(ports.PORT), Number(ports.SANDBOX_PORT)])
    expect([await isOpen('127.0.0.1', port), await isOpen(toOthers, port)]).toEqual([true, false]);

  const links = [...output.matchAll(/the (?<page>[a-z]+) +(?<address>http:\S+)/g)].map(
    ({ groups: { page = '', address = '' } = {} }) => ({ page, address }),
  );
  expect(links.map(({ page }) => page)).toEqual(['phone', 'console', 'sandbox', 'reference', 'contract']);
  // The first address on the screen is the one that people open.
  expect(/http:\S+/.exec(output)?.[0]).toBe(links[0]?.address);
  for (const { address } of links) expect([address, (await fetch(address)).status]).toEqual([address, 200]);

  // The phone may call the API.
  const origin = `http://localhost:${ports.SANDBOX_PORT}`;
  const html = await (await fetch(`${origin}/phone/`)).text();
  const [, api] = /name="ponte-api" content="([^"]+)"/.exec(html) ?? [];
  const allowed = await fetch(`${api}/me`, { headers: { origin } });
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);

  const first = { ...ports };
  ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
  run('exec npm start');
  await said(`the stack at http://localhost:${first.PORT} (process `);
  expect(started(postgres)).toHaveLength(1);
  expect((await fetch(`http://localhost:${first.PORT}/health`)).status).toBe(200);
  start.kill('SIGTERM');
  await nothingRuns();
});

test('npm start leaves nothing behind when npm is killed, finds its data again, and ends when its output has no reader', async () => {
  run('exec npm start');
  await said('Ponte is ready');
  expect(started(postgres)).toHaveLength(1);
  kill(npm);
  await nothingRuns();
  expect(existsSync(join(temporary, 'data/stack.env'))).toBe(false);

  output = '';
  const again = run('exec npm start');
  await said('Ponte is ready');
  again.stdout?.destroy();
  again.stderr?.destroy();
  // The script writes a line when one of its processes ends.
  kill(/phone\/main\.ts/);
  await nothingRuns();
});

test('npm start works again immediately after it was killed while it created its database', async () => {
  run('exec npm start');
  await until(
    async () => started(/initdb/),
    ({ length }) => length > 0,
    WITHIN_MS,
  );
  kill(script);
  run('exec npm start');
  await said('Ponte is ready');
  // The caretaker of the killed run is gone, and has left the server of the next run alone.
  await until(
    async () => started(/caretaker-main/),
    ({ length }) => length === 1,
    WITHIN_MS,
  );
  expect(started(postgres)).toHaveLength(1);
  expect(readdirSync(join(temporary, 'data')).filter((name) => name.startsWith('database'))).toEqual([
    'database',
  ]);
  kill(script);
  await nothingRuns();
  expect(existsSync(join(temporary, 'data/stack.env'))).toBe(false);
});
