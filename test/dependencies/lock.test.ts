// Each way in which other code could be installed than the code that was checked.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsInLock, type Lock, type Manifest } from '../../scripts/dependencies/lock.ts';
import { ROOT } from '../support/process.ts';

const integrity = `sha512-${createHash('sha512').update('carrier').digest('base64')}`;
const entry = { version: '1.2.3', integrity };
const faultsOf = (carrier: Lock['packages'][string], manifest: Manifest = {}, name = 'carrier') =>
  faultsInLock({ packages: { '': {}, [`node_modules/${name}`]: carrier } }, manifest);

const read = (file: string): unknown => JSON.parse(readFileSync(`${ROOT}/${file}`, 'utf8'));

test('the lock file of this project has no faults', () => {
  const lock = read('package-lock.json') as Lock;
  expect(Object.keys(lock.packages).length).toBeGreaterThan(900);
  expect(faultsInLock(lock, read('package.json') as Manifest)).toEqual([]);
});

test.each(['^1.2.3', 'latest', 'someone/carrier', 'file:../x'])(
  'package.json may not ask for a package as %s',
  (range) => {
    expect(faultsOf(entry, { dependencies: { carrier: range } })).toEqual([
      `package.json asks for carrier as "${range}": give one version`,
    ]);
  },
);

test.each<[string, Lock['packages'][string], string]>([
  ['without a hash', { ...entry, integrity: undefined }, 'has no SHA-512'],
  ['with a weak hash', { ...entry, integrity: 'sha1-YWJj' }, 'has no SHA-512'],
  ['from a repository', { ...entry, resolved: 'git+ssh://git@example.com/x.git' }, 'comes from an address'],
  ['from another registry', { ...entry, resolved: 'https://example.com/x.tgz' }, 'comes from an address'],
  ['with an undecided install script', { ...entry, hasInstallScript: true }, 'runs a script'],
  ['with engines', { ...entry, engines: { node: '>=24' } }, 'names engines'],
])('the check of the lock file finds a package %s', (_, carrier, fault) => {
  expect(faultsOf(carrier)).toEqual([expect.stringContaining(fault)]);
});

test('package.json decides about the install script of a package', () => {
  expect(faultsOf({ ...entry, hasInstallScript: true }, { allowScripts: { carrier: false } })).toEqual([]);
});

test.each([
  ['may lack a hash', {}, 0],
  ['needs a hash if production installs it', { dev: false }, 1],
  ['needs a hash if it is always installed', { optional: false }, 1],
  ['needs a hash if it is for every platform', { os: undefined }, 1],
])('a development tool for another platform %s', (_, rest, count) => {
  const tool = { version: '1.2.3', dev: true, optional: true, os: ['win32'], ...rest };
  expect(faultsOf(tool, {}, '@oxlint/binding-win')).toHaveLength(count);
});
