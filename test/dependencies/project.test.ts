// The checks on this project itself. The gate asks for known vulnerabilities, because tests should not need a registry.
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkEngines } from '../../scripts/dependencies/engines.ts';
import { checkFootprint } from '../../scripts/dependencies/footprint.ts';
import { checkInstallScripts } from '../../scripts/dependencies/install-scripts.ts';
import { checkLicences } from '../../scripts/dependencies/licences.ts';
import { checkLock } from '../../scripts/dependencies/lock-hygiene.ts';
import { readProject } from '../../scripts/dependencies/project.ts';

const project = readProject(path.resolve(import.meta.dirname, '../..'));

test.each([
  ['licences', checkLicences],
  ['install scripts', checkInstallScripts],
  ['the lock file', checkLock],
  ['the Node that packages need', checkEngines],
  ['the number of production packages', checkFootprint],
])('this project keeps its own rules on %s', (_, check) => {
  expect(check(project).faults).toEqual([]);
});

test('every package of the lock file is read, and production packages are marked', () => {
  expect(project.packages.length).toBeGreaterThan(900);
  const isProduction = (name: string) => project.packages.find((one) => one.name === name)?.isProduction;
  expect(['express', 'vitest'].map(isProduction)).toEqual([true, false]);
});
