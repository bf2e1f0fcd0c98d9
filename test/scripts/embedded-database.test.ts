// The embedded database: interrupted creations, and PostgreSQL's own reasons. A process that used it must exit with its own code:
// otherwise no test run could ever fail.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stopServerIn } from '../../harness/database/database-server.ts';
import { startEmbeddedDatabase, unfinishedFolder } from '../../harness/database/embedded-database.ts';
import { temporaryFolder, temporaryFolderInMemory } from '../../harness/temporary-folder.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = temporaryFolder('embedded');
  folder = join(parent, 'database');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function databasesAt(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>('select datname from pg_database order by 1');
  await client.end();
  return rows.map(({ datname }) => datname);
}

test('a start creates the database that an interrupted first start left out, and removes the folder that it left unfinished', async () => {
  const unfinished = unfinishedFolder(folder, 1);
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'PG_VERSION'), '18\n');
  const first = await startEmbeddedDatabase({ folder, keep: true });
  expect(existsSync(unfinished)).toBe(false);
  const client = new Client({ connectionString: first.url.replace(/ponte$/, 'postgres') });
  await client.connect();
  await client.query('drop database ponte');
  await client.end();
  await first.stop();

  const second = await startEmbeddedDatabase({ folder, keep: true });
  expect(await databasesAt(second.url)).toContain('ponte');
  await second.stop();
  expect(readdirSync(parent)).toEqual(['database']);
});

test("a database that does not start is refused with PostgreSQL's own reason and the folder to delete", async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'PG_VERSION'), '18\n');
  const reason = await startEmbeddedDatabase({ folder, keep: true }).catch((error: Error) => error.message);
  expect(reason).toMatch(
    /^PostgreSQL does not start in \S+\/database: .*\b(postgres|FATAL)\b.* delete this folder: /,
  );
});

test('files of something else in the place of the database are named and left alone', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), '');
  await expect(startEmbeddedDatabase({ folder, keep: true })).rejects.toThrow(
    `${folder} is not empty, and not a database of PostgreSQL: delete it, or choose another folder with DATA_FOLDER`,
  );
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});

test('a server that ended by itself can be stopped', async () => {
  const database = await startEmbeddedDatabase({ folder, keep: true });
  await stopServerIn(folder);
  await expect(database.stop()).resolves.toBeUndefined();
});

test.each([true, false])(
  "the embedded database does not change the process's exit code (data kept: %s)",
  { timeout: 60_000 },
  (keep) => {
    const script = `
    import { startEmbeddedDatabase } from './harness/database/embedded-database.ts';
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

test('a folder for databases that are copied is where TMPDIR says', () => {
  vi.stubEnv('TMPDIR', parent);
  expect(dirname(temporaryFolderInMemory('copied'))).toBe(parent);
  vi.unstubAllEnvs();
});
