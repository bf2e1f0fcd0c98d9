// `npm run lock:tidy`, after every change of dependencies: takes out of the lock file what makes npm warn of nothing. npm holds
// the `engines` of each package against the Node that runs npm; the sources run on the one that package.json pins, and
// engines.ts holds them against that one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lock } from './lock.ts';

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, '../../package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  writeFileSync(file, `${JSON.stringify(tidy(lock), null, 2)}\n`);
}

/** The same packages, without their `engines`. */
export function tidy(lock: Lock): Lock {
  const packages = structuredClone(lock.packages);
  for (const entry of Object.values(packages)) delete entry.engines;
  return { ...lock, packages };
}
