// Compiled code that processes of one run share: the service is started hundreds of times, and compiling it is half of that.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type Shared = { NODE_COMPILE_CACHE: string };

const compiled = new Map<string, Shared>();

/**
 * Compiles the service where that has not been done yet. Who is killed leaves nothing behind for the next, so that one is
 * compiled here that ends by itself.
 * @param flags those of the processes to come: code compiled under others is none to them.
 * @returns what to add to the environment of each.
 */
export function compiledService(...flags: string[]): Shared {
  const known = compiled.get(flags.join(' '));
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'ponte-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const shared = { NODE_COMPILE_CACHE: folder };
  compiled.set(flags.join(' '), shared);
  const load = "await import('./src/service.ts')";
  spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', load], {
    cwd: ROOT,
    env: { ...process.env, ...shared },
  });
  return shared;
}
