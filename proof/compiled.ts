// A compile cache shared by the processes of one run: the service is started hundreds of times, and compiling is half of
// that.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type Shared = { NODE_COMPILE_CACHE: string };

const compiled = new Map<string, Shared>();

/**
 * Compiles the service unless the cache is filled. A killed process leaves no cache, so this one ends by itself.
 * @param flags of the later processes: a cache made under others does not apply to them.
 * @returns additions to the environment of each.
 */
export function compiledService(...flags: string[]): Shared {
  const known = compiled.get(flags.join(' '));
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'ponte-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const shared = { NODE_COMPILE_CACHE: folder };
  compiled.set(flags.join(' '), shared);
  const load = "await import('./src/start/start-service.ts')";
  spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', load], {
    cwd: ROOT,
    env: { ...process.env, ...shared },
  });
  return shared;
}
