// Each package runs on the Node that package.json pins. npm would hold it against the Node that runs npm, so the lock file
// says nothing of it (tidy-lock.ts), and what is installed is asked here.
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
