// `npm run lock:tidy`, after every change of dependencies: removes the `engines` of each package from the lock file. npm would
// compare them with the Node that runs npm and print irrelevant warnings. The sources run on the Node that package.json pins, and
// engines.ts compares them with that one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lock } from './lock.ts';

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, '../../package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  writeFileSync(file, `${JSON.stringify(tidy(lock), null, 2)}\n`);
}

/** Returns the same packages without their `engines`. */
export function tidy(lock: Lock): Lock {
  const packages = structuredClone(lock.packages);
  for (const entry of Object.values(packages)) delete entry.engines;
  return { ...lock, packages };
}
