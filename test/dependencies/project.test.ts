// This project itself. Whether it has known weaknesses is asked in the gate: nobody's tests should need a registry.
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkEngines } from '../../scripts/dependencies/engines.ts';
import { checkFootprint } from '../../scripts/dependencies/footprint.ts';
import { checkInstallScripts } from '../../scripts/dependencies/install-scripts.ts';
import { checkLicences } from '../../scripts/dependencies/licences.ts';
import { checkLock } from '../../scripts/dependencies/lock-hygiene.ts';
import { readProject } from '../../scripts/dependencies/project.ts';

const project = readProject(path.resolve(import.meta.dirname, '../..'));

it.each([
  ['licences', checkLicences],
  ['install scripts', checkInstallScripts],
  ['lock file', checkLock],
  ['the Node that packages need', checkEngines],
  ['how much there is in production', checkFootprint],
])('keeps its own rules on %s', (_, check) => {
  expect(check(project).faults).toEqual([]);
});

it('is read whole: everything in the lock file, with what is in production told apart', () => {
  expect(project.packages.length).toBeGreaterThan(900);
  const isProduction = (name: string) => project.packages.find((one) => one.name === name)?.isProduction;
  expect(['express', 'vitest'].map(isProduction)).toEqual([true, false]);
});
