// A compile cache that the processes of one run share: the service is started hundreds of times, and compiling takes half of each
// start.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './node-process.ts';
import { startFlags } from './start-flags.ts';

type Shared = { NODE_COMPILE_CACHE: string };

const compiled = new Map<string | undefined, Shared>();

/**
 * Compiles the service, unless the cache is filled. A killed process leaves no cache, so the compiling process ends by itself.
 * @param root the project of the service. Without it, this project is compiled for processes without the flags of production.
 * @returns additions to the environment of each process.
 */
export function compiledService(root?: string): Shared {
  const cached = compiled.get(root);
  if (cached) return cached;
  // A cache that was made under other flags does not apply.
  const flags = root === undefined ? [] : startFlags(root);
  const folder = mkdtempSync(join(tmpdir(), 'ponte-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const shared = { NODE_COMPILE_CACHE: folder };
  compiled.set(root, shared);
  const load = "await import('./src/start/start-service.ts')";
  spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', load], {
    cwd: root ?? ROOT,
    env: { ...process.env, ...shared },
  });
  return shared;
}
