// Each way in which something else could be installed than what was looked at.
import { expect, it } from 'vitest';
import { checkLock } from '../../scripts/dependencies/lock-hygiene.ts';
import type { Project } from '../../scripts/dependencies/project.ts';
import { entry, projectWith } from './support.ts';

const binary = { dev: true, optional: true, os: ['win32'], integrity: undefined };
const exception = { name: /^@tool\/binding-/, why: 'another platform' };

type Asked = Parameters<typeof projectWith>[0];
const faultsOf = (project: Project, exceptions: (typeof exception)[] = []) =>
  checkLock(project, exceptions).faults;

it('is fine with exact versions, hashes and names of the registry', () => {
  const changed = {
    carrier: entry('carrier', { dependencies: { other: '^1.0.0 || >=3 <4', alias: 'npm:@a/b@^2' } }),
  };
  expect(faultsOf(projectWith({ changed }))).toEqual([]);
});

it.each<[string, Asked, string]>([
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
])('finds %s', (_, asked, fault) => {
  expect(faultsOf(projectWith(asked))).toEqual([expect.stringContaining(fault)]);
});

it('finds a lock file of another time', () => {
  const project = projectWith();
  project.lock.lockfileVersion = 2;
  project.manifest.dependencies = { carrier: '1.2.4' };
  expect(faultsOf(project)).toEqual([
    'the lock file is of format 2',
    'the lock file was made for another carrier than package.json asks for',
  ]);
});

it.each<[string, object, number]>([
  ['is excepted', {}, 0],
  ['for every platform is not', { os: undefined }, 1],
  ['in production is not', { dev: undefined }, 1],
  ['that is always installed is not', { optional: undefined }, 1],
])('a tool’s binary without a hash %s', (_, rest, faults) => {
  const changed = { '@tool/binding-win': entry('binding', { ...binary, ...rest }) };
  expect(faultsOf(projectWith({ changed }), [exception])).toHaveLength(faults);
});

it('an exception that is not needed is a fault itself', () => {
  expect(faultsOf(projectWith(), [exception])).toEqual([expect.stringContaining('not needed any more')]);
});
