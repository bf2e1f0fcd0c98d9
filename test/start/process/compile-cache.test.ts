// The image is built by a start without a configuration. That start must compile every module, or each container compiles again.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { killProcesses, startProcess } from '../../support/process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'ponte-compiled-'));

afterAll(async () => {
  await killProcesses();
  rmSync(folder, { recursive: true, force: true });
});

const compiled = (): string[] => readdirSync(folder, { recursive: true }).map(String).toSorted();

test('a start without a configuration compiles every module', async () => {
  const unconfigured = startProcess({ NODE_COMPILE_CACHE: folder });
  expect(await unconfigured.exited).toMatchObject({ code: 1 });
  const modules = compiled();
  // These are the modules of the service and of its libraries.
  expect(modules.length).toBeGreaterThan(1_000);
  await startProcess({ NODE_COMPILE_CACHE: folder }).exited;
  expect(compiled()).toEqual(modules);
});
