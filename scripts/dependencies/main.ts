// `npm run dependencies:check`: checks licences, install scripts, the lock file, engines, the number of production packages, the
// bill of materials, and known vulnerabilities. With names (`npm run sbom`), it runs only those checks.
import path from 'node:path';
import { checkAdvisories } from './advisories.ts';
import { checkEngines } from './engines.ts';
import { checkFootprint } from './footprint.ts';
import { checkInstallScripts } from './install-scripts.ts';
import { checkLicences } from './licences.ts';
import { checkLock } from './lock-hygiene.ts';
import { type Finding, type Project, readProject } from './project.ts';
import { checkSbom } from './sbom.ts';

const checks: Record<string, (project: Project) => Finding | Promise<Finding>> = {
  licences: (project) => checkLicences(project),
  'install-scripts': (project) => checkInstallScripts(project),
  'lock-file': (project) => checkLock(project),
  engines: (project) => checkEngines(project),
  footprint: (project) => checkFootprint(project),
  sbom: checkSbom,
  advisories: (project) => checkAdvisories(project),
};

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(checks);
const project = readProject(path.resolve(import.meta.dirname, '../..'));
for (const name of names) {
  const check = checks[name];
  if (check === undefined)
    throw new Error(`there is no check ${name}; there are ${Object.keys(checks).join(', ')}`);
  const { said, faults } = await check(project);
  console.log(`${name.padEnd(16)} ${faults.length === 0 ? said : `${faults.length} faults`}`);
  for (const fault of faults) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
