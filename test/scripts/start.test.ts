// `npm start` with what people set and leave: settings that cannot work, folders of interrupted runs, and the caretaker of a former run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import type { Charge } from '../../harness/stack/caretaker.ts';
import { claimFolder } from '../../harness/stack/folder-claim.ts';
import { isAlive, ROOT, surroundings } from '../support/process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  return path;
};

const readOnly = (): string => {
  chmodSync(folder, 0o555);
  return folder;
};

// Root may write everywhere, so the script then runs as the user nobody.
const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};

/** A process that looks like the server of the folder. */
async function startServer(): Promise<ChildProcess> {
  const database = join(folder, 'database');
  mkdirSync(database);
  const idle = 'setInterval(() => undefined, 1000)';
  const server = spawn(process.execPath, ['-e', idle, 'postgres', '-D', database]);
  await once(server, 'spawn');
  writeFileSync(join(database, 'postmaster.pid'), `${server.pid}\n`);
  writeFileSync(join(folder, 'stack.env'), '');
  return server;
}

/** Starts a caretaker and ends its connection, as the end of its parent does. */
async function putInOrder(claim: Charge['claim']): Promise<void> {
  const charge: Charge = {
    claim,
    databaseFolder: join(folder, 'database'),
    remove: [join(folder, 'stack.env')],
  };
  const caretaker = spawn(process.execPath, ['harness/stack/caretaker-main.ts', JSON.stringify(charge)], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  caretaker.send('started', () => caretaker.disconnect());
  expect(await once(caretaker, 'exit')).toEqual([0, null]);
}

describe('what npm start refuses', () => {
  test.each([
    [
      'a port that is no number',
      () => ({ PORT: 'abc' }),
      /^PORT is "abc": it must be a number from 1 to 65535$/,
    ],
    [
      'a port of zero',
      () => ({ SANDBOX_PORT: '0' }),
      /^SANDBOX_PORT is "0": it must be a number from 1 to 65535$/,
    ],
    ['a port beyond the last one', () => ({ PORT: '65536' }), /^PORT is "65536": /],
    [
      'two equal ports',
      () => ({ PORT: '3999', SANDBOX_PORT: '3999' }),
      /^PORT and SANDBOX_PORT are both 3999: the API and the sandbox need one each$/,
    ],
    [
      'a data folder that is a file',
      () => ({ DATA_FOLDER: file() }),
      /^the data folder \S+\/file is a file, or lies in one; choose another one with DATA_FOLDER$/,
    ],
    [
      'a data folder in a file',
      () => ({ DATA_FOLDER: join(file(), 'data') }),
      /^the data folder \S+\/file\/data is a file, or lies in one; /,
    ],
    [
      'a data folder that this user cannot write to',
      () => ({ DATA_FOLDER: readOnly() }),
      /^this user cannot write to the data folder \S+; make the folder yours, or choose another one with DATA_FOLDER$/,
    ],
    [
      'an address that this machine does not have',
      () => ({ LISTEN_HOST: '192.0.2.1' }),
      /^port \d+ cannot be opened at 192\.0\.2\.1 \(.+\); see PORT, SANDBOX_PORT and LISTEN_HOST$/,
    ],
  ] as const)('npm start names %s in one sentence', async (what, settings, sentence) => {
    const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
    const { status, stderr } = spawnSync(process.execPath, ['scripts/start.ts'], {
      cwd: ROOT,
      ...(what.includes('this user') ? uid : {}),
      env: { ...surroundings(), ...ports, DATA_FOLDER: folder, ...settings() },
      encoding: 'utf8',
    });
    const [, told = stderr] = /^Ponte could not start: (.*)\n$/.exec(stderr) ?? [];
    expect(told).toMatch(sentence);
    expect(status).toBe(1);
  });
});

test('a claim that names this process and is of another run, as in a container that was restarted, lets the folder be used', () => {
  const { claim } = claimFolder(folder, 'http://localhost:3000');
  const written = JSON.parse(readFileSync(claim.file, 'utf8')) as object;
  writeFileSync(claim.file, JSON.stringify({ ...written, id: 'of the former run' }));
  expect(claimFolder(folder, 'http://localhost:3001').claim.id).not.toBe(claim.id);
});

describe('the caretaker of a run that was killed', () => {
  test('a caretaker stops the server and removes the settings of its own run', async () => {
    const { claim } = claimFolder(folder, 'http://localhost:3000');
    const server = await startServer();
    await putInOrder(claim);
    expect([isAlive(server.pid ?? 0), existsSync(join(folder, 'stack.env'))]).toEqual([false, false]);
  });

  test('a caretaker leaves the server, the settings and the claim of the next run alone', async () => {
    const former = claimFolder(folder, 'http://localhost:3000').claim;
    rmSync(former.file);
    const { claim } = claimFolder(folder, 'http://localhost:3000');
    const server = await startServer();
    await putInOrder(former);
    expect([isAlive(server.pid ?? 0), existsSync(join(folder, 'stack.env'))]).toEqual([true, true]);
    expect(JSON.parse(readFileSync(claim.file, 'utf8'))).toMatchObject({ id: claim.id });
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
});
