// The packages that scripts of the pages were built from: development dependencies whose code is still distributed. `npm run
// generate` writes it into openapi/generated/reference.js.gz and sandbox/assets/htmx.js.
import type { Lock } from './lock.ts';

const bundledFrom = ['node_modules/@scalar/api-reference', 'node_modules/htmx.org'];

/** Returns the places of these packages and of everything that they depend on, as npm resolves it in the lock file. */
export function bundled({ packages }: Lock, from: readonly string[] = bundledFrom): Set<string> {
  const found = new Set<string>();
  const queue = from.filter((place) => packages[place] !== undefined);
  for (const place of queue) {
    if (found.has(place)) continue;
    found.add(place);
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = foldersAbove(place).map((folder) => `${folder}node_modules/${name}`);
      const resolved = at.find((one) => packages[one] !== undefined);
      if (resolved !== undefined) queue.push(resolved);
    }
  }
  return found;
}

/**
 * The places where npm looks for a dependency: next to the package's own dependencies, then one level up, and so on to the
 * project's.
 */
function foldersAbove(place: string): string[] {
  const levels = place
    .split('/node_modules/')
    .map((_, at, all) => all.slice(0, at + 1).join('/node_modules/'));
  return [...levels.toReversed().map((level) => `${level}/`), ''];
}
