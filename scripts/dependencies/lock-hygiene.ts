// Checks that exactly the locked packages are installed: exact versions, a hash for each package, and the registry as the only
// source.
import type { LockEntry } from './lock.ts';
import { withoutIntegrity } from './policy.ts';
import { type Finding, labelOf, type Package, type Project } from './project.ts';

const LOCK_FORMAT = 3;
const exactVersion = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;

export function checkLock(
  { manifest, lock, packages }: Project,
  exceptions: readonly { name: RegExp; why: string }[] = withoutIntegrity,
): Finding {
  const { '': root = {} } = lock.packages;
  const hashless = packages.filter(({ integrity }) => integrity === undefined);
  const isExplained = (one: Package): boolean =>
    !one.isProduction &&
    one.optional === true &&
    (one.os ?? []).length > 0 &&
    exceptions.some(({ name }) => name.test(one.name));
  const faults = [
    ...(lock.lockfileVersion === LOCK_FORMAT ? [] : [`the lock file is of format ${lock.lockfileVersion}`]),
    ...directOf(manifest)
      .filter(([, range]) => !exactVersion.test(range))
      .map(([name, range]) => `package.json asks for ${name} as "${range}": give one version`),
    ...directOf(manifest)
      .filter(([name, range]) => !directOf(root).some(([locked, to]) => locked === name && to === range))
      .map(([name]) => `the lock file was made for another ${name} than package.json asks for`),
    ...packages.filter(({ link }) => link === true).map(({ place }) => `${place} is a link to a folder`),
    ...packages
      .filter(({ resolved }) => resolved !== undefined)
      .map((one) => `${labelOf(one)} comes from an address of its own`),
    ...packages.filter(({ version }) => version === undefined).map(({ place }) => `${place} has no version`),
    ...packages
      .filter(({ integrity }) => integrity !== undefined && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
      .map((one) => `${labelOf(one)} has a hash that is not one SHA-512`),
    ...hashless.filter((one) => !isExplained(one)).map((one) => `${labelOf(one)} has no hash`),
    ...exceptions
      .filter(({ name }) => !hashless.some((one) => name.test(one.name)))
      .map(({ name }) => `the exception ${name.source} is not needed any more`),
    ...packages.flatMap((one) =>
      wantedBy(one)
        .filter(([, range]) => isElsewhere(range))
        .map(([name]) => `${labelOf(one)} asks for ${name} from somewhere else than the registry`),
    ),
  ];
  const said = `${packages.length} entries, ${hashless.length} of them without a hash and explained`;
  return { said, faults };
}

const directOf = ({ dependencies, devDependencies }: LockEntry): [string, string][] =>
  Object.entries({ ...dependencies, ...devDependencies });

const wantedBy = ({ dependencies, optionalDependencies }: LockEntry): [string, string][] =>
  Object.entries({ ...dependencies, ...optionalDependencies });

/**
 * Whether the range refers to an address, a repository, a file or `owner/name`, instead of a version range or a name in the
 * registry.
 */
const isElsewhere = (range: string): boolean =>
  !range.startsWith('npm:') && (/^[a-z+]+:/i.test(range) || range.includes('/'));
