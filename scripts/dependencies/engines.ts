// Checks that each package runs on the Node that package.json pins. npm would compare it with the Node that runs npm. So the lock
// file does not contain the engines (tidy-lock.ts), and this check reads the installed packages.
import { satisfies } from 'semver';
import { type Finding, labelOf, type Project } from './project.ts';

export function checkEngines({ manifest, packages, installed }: Project): Finding {
  const node = manifest.devDependencies?.['node'] ?? '';
  const faults = packages.flatMap((one) => {
    const wanted = installed(one.place)?.engines?.node;
    return wanted === undefined || satisfies(node, wanted)
      ? []
      : [`${labelOf(one)} needs Node ${wanted}, and package.json pins ${node || 'none'}`];
  });
  const untidy = packages.filter(({ engines }) => engines !== undefined);
  return {
    said: `every installed package runs on Node ${node}`,
    faults: [
      ...faults,
      ...(untidy.length === 0
        ? []
        : [`the lock file names engines of ${untidy.length} packages: npm run lock:tidy`]),
    ],
  };
}
