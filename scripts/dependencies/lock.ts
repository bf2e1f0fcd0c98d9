// The lock file must lead to the same code on every machine: a hash for each package, no source but the registry, exact versions in
// package.json, and a decision about each script that runs during an installation.

type LockEntry = {
  version?: string;
  resolved?: string;
  integrity?: string | undefined;
  dev?: boolean;
  optional?: boolean;
  os?: string[] | undefined;
  hasInstallScript?: boolean;
  engines?: unknown;
};
export type Lock = { packages: Record<string, LockEntry> };
export type Manifest = {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
};

/** Development tools for other platforms. npm never fetched them where the lock file was made, so it knows no hash. */
const withoutHash = /^@(biomejs\/cli|oxlint\/binding|oxlint-tsgolint\/)/;

export function faultsInLock({ packages }: Lock, manifest: Manifest): string[] {
  const { dependencies, devDependencies, allowScripts = {} } = manifest;
  return [
    ...Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(range))
      .map(([name, range]) => `package.json asks for ${name} as "${range}": give one version`),
    ...Object.entries(packages)
      .filter(([place, { resolved = '' }]) => place !== '' && !isOurs(place) && !isOurs(resolved))
      .flatMap(([place, entry]) =>
        faultsIn(entry, nameOf(place), allowScripts).map((what) => `${place} ${what}`),
      ),
  ];
}

function faultsIn(
  { integrity, resolved, dev, optional, os, hasInstallScript, engines }: LockEntry,
  name: string,
  allowScripts: Record<string, boolean>,
): string[] {
  const isOtherPlatforms = dev === true && optional === true && os !== undefined && withoutHash.test(name);
  const hasHash = /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '');
  const faults = {
    'has no SHA-512': !hasHash && !(integrity === undefined && isOtherPlatforms),
    'comes from an address of its own': resolved !== undefined,
    'runs a script when it is installed: allowScripts in package.json must allow or forbid it':
      hasInstallScript === true && allowScripts[name] === undefined,
    'names engines, which npm compares with another Node: npm run lock:tidy': engines !== undefined,
  };
  return Object.entries(faults)
    .filter(([, isSo]) => isSo)
    .map(([what]) => what);
}

/** Returns whether the project itself publishes the package: its folder, or the target of the link to it. */
const isOurs = (place: string): boolean => /^packages\/[\w-]+$/.test(place);

const nameOf = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
