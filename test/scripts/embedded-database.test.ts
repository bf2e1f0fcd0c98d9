// A process that used the embedded database must exit with its own code: otherwise no test run could ever fail.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([true, false])(
  "the embedded database does not change the process's exit code (data kept: %s)",
  { timeout: 60_000 },
  (keep) => {
    const folder = join(mkdtempSync(join(tmpdir(), 'ponte-exit-')), 'database');
    const script = `
    import { startEmbeddedDatabase } from './scripts/embedded-database.ts';
    const database = await startEmbeddedDatabase(${JSON.stringify({ folder, keep })});
    await database.stop();
    process.exitCode = 3;
  `;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([3, '']);
  },
);
