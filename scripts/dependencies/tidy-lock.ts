// `npm run lock:tidy`, after every change of dependencies: removes the `engines` of each package from the lock file. npm would
// compare them with the Node that runs npm, although the sources run on the Node that package.json pins, and print warnings.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lock } from './lock.ts';

const file = path.resolve(import.meta.dirname, '../../package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
for (const entry of Object.values(lock.packages)) delete entry.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
