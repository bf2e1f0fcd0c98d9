// Reads what the checks of dependencies need: package.json, the lock file, and the manifests of the installed packages.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bundled } from './bundled.ts';
import type { Lock, LockEntry } from './lock.ts';

export type Manifest = {
  name?: string;
  version?: string;
  license?: unknown;
  /** An old form of declaring licences. It offers a choice between them. */
  licenses?: unknown;
  scripts?: Record<string, string>;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  /** npm's own list of packages whose install scripts run. */
  allowScripts?: Record<string, boolean>;
};

/** A package of the lock file. The same package may be at several places. */
export type Package = LockEntry & {
  place: string;
  name: string;
  /** Whether the package is installed in production. */
  isProduction: boolean;
  /** Whether the package is in production, or is part of a script that a page loads. */
  isHandedOn: boolean;
};

export type Project = {
  folder: string;
  manifest: Manifest;
  lock: Lock;
  packages: Package[];
  /** @returns null if the package is not installed, for example because it is made for another platform. */
  installed: (place: string) => Manifest | null;
};

/** The result of a check: a summary, and its faults. Empty if there are none. */
export type Finding = { said: string; faults: string[] };

/** @throws if package.json or the lock file is missing or not JSON. */
export function readProject(folder: string): Project {
  const manifest = readJson(path.join(folder, 'package.json')) as Manifest;
  const lock = readJson(path.join(folder, 'package-lock.json')) as Lock;
  const installed = (place: string): Manifest | null => {
    const file = path.join(folder, place, 'package.json');
    return existsSync(file) ? (readJson(file) as Manifest) : null;
  };
  return { folder, manifest, lock, packages: packagesIn(lock), installed };
}

export function packagesIn(lock: Lock): Package[] {
  const inScript = bundled(lock);
  return Object.entries(lock.packages)
    .filter(([place, entry]) => place !== '' && !isOurs(place) && !isOurs(entry.resolved ?? ''))
    .map(([place, entry]) => ({
      ...entry,
      place,
      name: entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      isProduction: entry.dev !== true,
      isHandedOn: entry.dev !== true || inScript.has(place),
    }));
}

/** Whether the project itself publishes the package: its folder, or the target of the link to it. */
const isOurs = (place: string): boolean => /^packages\/[\w-]+$/.test(place);

/** The usual form of a package's name: `name@version`. */
export const labelOf = ({ name, version }: Package): string => `${name}@${version ?? '?'}`;

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
