// A small project with one production package and one development package, and a test's changes to it.
import { createHash } from 'node:crypto';
import type { Lock, LockEntry } from '../../scripts/dependencies/lock.ts';
import { type Manifest, type Project, packagesIn } from '../../scripts/dependencies/project.ts';

const hashOf = (name: string): string => `sha512-${createHash('sha512').update(name).digest('base64')}`;

/**
 * Makes an entry of the lock file.
 * @param rest the properties that differ. Undefined removes a property.
 */
export const entry = (
  name: string,
  rest: { [Property in keyof LockEntry]?: LockEntry[Property] | undefined } = {},
): LockEntry => {
  const all = { version: '1.2.3', integrity: hashOf(name), license: 'MIT', ...rest };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

/**
 * @param changed entries of the lock file, by the package's name. Undefined removes an entry.
 * @param installed manifests of the packages in node_modules, by the package's name.
 */
export function projectWith({
  changed = {},
  manifest = {},
  installed = {},
  folder = '/nowhere',
}: {
  changed?: Record<string, LockEntry | undefined>;
  manifest?: Partial<Manifest>;
  installed?: Record<string, Manifest>;
  folder?: string;
} = {}): Project {
  const own = {
    name: 'wallet',
    version: '0.1.0',
    license: 'Apache-2.0',
    dependencies: { carrier: '1.2.3' },
    devDependencies: { checker: '1.2.3' },
    ...manifest,
  };
  const entries: Record<string, LockEntry | undefined> = {
    carrier: entry('carrier'),
    checker: entry('checker', { dev: true }),
    ...changed,
  };
  const packages = Object.entries(entries)
    .filter((pair): pair is [string, LockEntry] => pair[1] !== undefined)
    .map(([name, one]) => [`node_modules/${name}`, one]);
  const { dependencies, devDependencies, version, license } = own;
  const lock = {
    name: own.name,
    version,
    lockfileVersion: 3,
    packages: {
      '': { name: own.name, version, license, dependencies, devDependencies },
      ...Object.fromEntries(packages),
    },
  };
  return {
    folder,
    manifest: own,
    lock: lock satisfies Lock,
    packages: packagesIn(lock),
    installed: (place) => installed[place.replace('node_modules/', '')] ?? null,
  };
}
