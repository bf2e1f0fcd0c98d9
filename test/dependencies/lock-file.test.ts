// Each way in which other code could be installed than the code that was checked.
import { expect, test } from 'vitest';
import { checkLock } from '../../scripts/dependencies/lock-hygiene.ts';
import type { Project } from '../../scripts/dependencies/project.ts';
import { entry, projectWith } from './support.ts';

const binary = { dev: true, optional: true, os: ['win32'], integrity: undefined };
const exception = { name: /^@tool\/binding-/, why: 'another platform' };

type Asked = Parameters<typeof projectWith>[0];
const faultsOf = (project: Project, exceptions: (typeof exception)[] = []) =>
  checkLock(project, exceptions).faults;

test('the check of the lock file accepts exact versions, hashes and names of the registry', () => {
  const changed = {
    carrier: entry('carrier', { dependencies: { other: '^1.0.0 || >=3 <4', alias: 'npm:@a/b@^2' } }),
  };
  expect(faultsOf(projectWith({ changed }))).toEqual([]);
});

test.each<[string, Asked, string]>([
  ['a range', { manifest: { dependencies: { carrier: '^1.2.3' } } }, 'give one version'],
  ['a tag', { manifest: { devDependencies: { checker: 'latest' } } }, 'give one version'],
  ['a repository', { manifest: { dependencies: { carrier: 'someone/carrier' } } }, 'give one version'],
  [
    'no hash',
    { changed: { carrier: entry('carrier', { integrity: undefined }) } },
    'carrier@1.2.3 has no hash',
  ],
  ['a weak hash', { changed: { carrier: entry('carrier', { integrity: 'sha1-YWJj' }) } }, 'not one SHA-512'],
  ['no version', { changed: { carrier: entry('carrier', { version: undefined }) } }, 'has no version'],
  [
    'an address',
    { changed: { carrier: entry('carrier', { resolved: 'git+ssh://git@example.com/carrier.git#abc' }) } },
    'comes from an address of its own',
  ],
  ['a link', { changed: { carrier: entry('carrier', { link: true }) } }, 'is a link to a folder'],
  ...[
    'git+https://example.com/x.git',
    'https://example.com/x.tgz',
    'file:../x',
    'someone/x',
    'github:someone/x',
  ].map((range): [string, Asked, string] => [
    `a dependency on ${range}`,
    { changed: { carrier: entry('carrier', { dependencies: { other: range } }) } },
    'asks for other from somewhere else',
  ]),
])('the check of the lock file finds %s', (_, asked, fault) => {
  expect(faultsOf(projectWith(asked))).toEqual([expect.stringContaining(fault)]);
});

test('the check finds a lock file that does not match package.json', () => {
  const project = projectWith();
  project.lock.lockfileVersion = 2;
  project.manifest.dependencies = { carrier: '1.2.4' };
  expect(faultsOf(project)).toEqual([
    'the lock file is of format 2',
    'the lock file was made for another carrier than package.json asks for',
  ]);
});

test.each<[string, object, number]>([
  ['covers a development tool', {}, 0],
  ['does not cover a binary for every platform', { os: undefined }, 1],
  ['does not cover a binary in production', { dev: undefined }, 1],
  ['does not cover a binary that is always installed', { optional: undefined }, 1],
])('the hash exception for binaries of other platforms %s', (_, rest, faults) => {
  const changed = { '@tool/binding-win': entry('binding', { ...binary, ...rest }) };
  expect(faultsOf(projectWith({ changed }), [exception])).toHaveLength(faults);
});

test('the check of the lock file finds an exception that is not needed', () => {
  expect(faultsOf(projectWith(), [exception])).toEqual([expect.stringContaining('not needed any more')]);
});
