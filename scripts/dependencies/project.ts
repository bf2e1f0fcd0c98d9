// What the checks of dependencies read: package.json, the lock file, and the manifests of what is installed.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bundled } from './bundled.ts';
import type { Lock, LockEntry } from './lock.ts';

export type Manifest = {
  name?: string;
  version?: string;
  license?: unknown;
  /** How licences were declared long ago: each of them may be chosen. */
  licenses?: unknown;
  scripts?: Record<string, string>;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  /** npm's own list of whose install scripts run. */
  allowScripts?: Record<string, boolean>;
};

/** A package of the lock file. The same one may stand at several places. */
export type Package = LockEntry & {
  place: string;
  name: string;
  /** Installed in production. */
  isProduction: boolean;
  /** In production itself, or a part of the script that the reference page loads. */
  isHandedOn: boolean;
};

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

/** A package that the project itself publishes: its folder, or where the link to it leads. */
const isOurs = (place: string): boolean => /^packages\/[\w-]+$/.test(place);

/** As it is written everywhere: `name@version`. */
export const labelOf = ({ name, version }: Package): string => `${name}@${version ?? '?'}`;

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
