// The processes that a data folder names: which are stopped, and which are left alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning, stopServerIn } from '../../harness/database/database-server.ts';
import { claimFolder } from '../../harness/stack/folder-claim.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a stale postmaster.pid that names a process of another program leaves this process alone', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  await once(other, 'spawn');
  writeFileSync(join(folder, 'postmaster.pid'), `${other.pid}\n${folder}\n`);
  await stopServerIn(folder);
  expect([other.exitCode, other.signalCode, isRunning(other.pid ?? 0)]).toEqual([null, null, true]);
  other.kill('SIGKILL');
  await once(other, 'exit');
});

test("a folder that a running stack uses is refused with its name and the stack's address", () => {
  claimFolder(folder, 'http://localhost:3000');
  expect(() => claimFolder(folder, 'http://localhost:3001')).toThrow(
    `the stack at http://localhost:3000 (process ${process.pid}) uses the data folder ${folder}`,
  );
});

test.each([
  ['has ended', { pid: 2 ** 22 + 1, command: 'node' }],
  ['is another program by now', { pid: process.pid, command: 'node scripts/start.ts' }],
])('a folder whose stack %s can be used again', (_what, claim) => {
  writeFileSync(join(folder, 'stack.pid'), JSON.stringify({ ...claim, url: 'http://localhost:3000' }));
  expect(claimFolder(folder, 'http://localhost:3001').claim.file).toBe(join(folder, 'stack.pid'));
});
