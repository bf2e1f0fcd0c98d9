// `npm run dependencies:check`: the lock file, licences, the number of production packages, known vulnerabilities and signatures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mayLeaveOut } from '../unchecked.ts';
import { faultsInLicences, type Installed } from './licences.ts';
import { faultsInLock, type Lock, type Manifest } from './lock.ts';
import { npm } from './npm.ts';
import { faultsInAdvisories, faultsInSignatures } from './registry.ts';

const folder = path.resolve(import.meta.dirname, '../..');
/** Each production package is code that is trusted with money, and part of an image that is pulled at every scaling. */
const PRODUCTION_PACKAGES_LIMIT = 175;
/** `npm run generate` packs these packages into the script of /docs and the sandbox's pages, so their code is distributed as well. */
const IN_SCRIPTS = '[name="@scalar/api-reference"], [name="@scalar/api-reference"] *, [name="htmx.org"]';

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
const query = async (selector: string): Promise<Installed[]> =>
  JSON.parse(await npm(folder, ['query', selector])) as Installed[];

const production = (await query('.prod')).filter(({ location }) => location.startsWith('node_modules/'));
const distributed = new Set([...production, ...(await query(IN_SCRIPTS))].map(({ location }) => location));

const checks: Record<string, string[] | null> = {
  'lock file': faultsInLock(read('package-lock.json') as Lock, read('package.json') as Manifest),
  licences: faultsInLicences(await query('*'), distributed),
  production:
    production.length < PRODUCTION_PACKAGES_LIMIT
      ? []
      : [`${production.length} packages: fewer than ${PRODUCTION_PACKAGES_LIMIT} are allowed`],
  advisories: await faultsInAdvisories(folder),
  signatures: await faultsInSignatures(folder),
};
for (const [name, faults] of Object.entries(checks)) {
  if (faults === null)
    console.log(
      `NOT CHECKED: ${name}. The registry does not answer; ACCEPT_UNCHECKED=advisories accepts that.`,
    );
  else console.log([`${name}: ${faults.length} faults`, ...faults].join('\n  '));
  if (faults === null ? !mayLeaveOut('advisories') : faults.length > 0) process.exitCode = 1;
}
