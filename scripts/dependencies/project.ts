// What the checks of dependencies read: package.json, the lock file, and the manifests of what is installed.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Manifest = {
  name?: string;
  version?: string;
  license?: unknown;
  /** How licences were declared long ago: each of them may be chosen. */
  licenses?: unknown;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  /** npm's own list of whose install scripts run. */
  allowScripts?: Record<string, boolean>;
};

/** An entry of the lock file, as npm writes it. */
export type LockEntry = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: unknown;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

export type Lock = { lockfileVersion: number; packages: Record<string, LockEntry> };

/** A package of the lock file. The same one may stand at several places. */
export type Package = LockEntry & { place: string; name: string; isProduction: boolean };

export type Project = {
  folder: string;
  manifest: Manifest;
  lock: Lock;
  packages: Package[];
  /** @returns null where the package is not installed: made for another platform, say. */
  installed: (place: string) => Manifest | null;
};

/** What one check has to say, and what is wrong: nothing, where all is well. */
export type Finding = { said: string; faults: string[] };

/** @throws when package.json or the lock file is missing or no JSON. */
export function readProject(folder: string): Project {
  const manifest = readJson(path.join(folder, 'package.json')) as Manifest;
  const lock = readJson(path.join(folder, 'package-lock.json')) as Lock;
  const installed = (place: string): Manifest | null => {
    const file = path.join(folder, place, 'package.json');
    return existsSync(file) ? (readJson(file) as Manifest) : null;
  };
  return { folder, manifest, lock, packages: packagesIn(lock), installed };
}

export const packagesIn = (lock: Lock): Package[] =>
  Object.entries(lock.packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]) => ({
      ...entry,
      place,
      name: entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      isProduction: entry.dev !== true,
    }));

/** As it is written everywhere: `name@version`. */
export const labelOf = ({ name, version }: Package): string => `${name}@${version ?? '?'}`;

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
