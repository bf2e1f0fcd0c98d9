// The package of the client that a registry gets: the publisher's fields, and the checks by publint and attw.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { faultsInFields, faultsInPackage, packClient } from '../../scripts/client-package.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'ponte-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const publisher = {
  name: 'ponte',
  version: '1.2.3',
  author: 'Banco do Porto',
  homepage: 'https://banco-do-porto.com/ponte',
  repository: { type: 'git', url: 'git+https://git.banco-do-porto.com/wallet/ponte.git' },
  bugs: { url: 'https://git.banco-do-porto.com/wallet/ponte/issues' },
  keywords: ['pix'],
  publishConfig: { access: 'public' },
};

test('each missing field is named', () => {
  const named = faultsInFields({ name: 'ponte', author: '', keywords: [] }).map(
    (fault) => fault.split(',')[0],
  );
  expect(named).toEqual([
    '"author" is missing',
    '"homepage" is missing',
    '"repository" is missing',
    '"bugs" is missing',
    '"keywords" is missing',
    '"publishConfig" is missing',
  ]);
});

test.each([
  ['homepage', 'https://ponte.example', '"homepage" is still an example: "https://ponte.example".'],
  ['author', 'Ada <ada@example.com>', '"author" is still an example: "Ada <ada@example.com>".'],
  ['bugs', { url: 'http://localhost' }, '"bugs" is still an example: {"url":"http://localhost"}.'],
  ['repository', 'github:wallet/ponte', expect.stringMatching(/^"repository" must have the form \{/)],
  ['repository', { url: 'https://git.banco-do-porto.com' }, expect.stringMatching(/^"repository" must/)],
])('in %s, %j is refused', (name, value, fault) => {
  expect(faultsInFields({ ...publisher, [name]: value })).toEqual([fault]);
});

test('the package has the fields and no faults, and its links lead to the repository', async () => {
  expect(faultsInFields(publisher)).toEqual([]);
  const file = await packClient(publisher, folder);
  const read = (name: string) =>
    execFileSync('tar', ['-xzOf', file, `package/${name}`], { encoding: 'utf8' });
  const { name: _name, version: _version, repository, ...fields } = publisher;
  const manifest = JSON.parse(read('package.json')) as object;
  expect(manifest).toMatchObject({
    ...fields,
    name: '@ponte/client',
    repository: { ...repository, directory: 'packages/client' },
  });
  expect(manifest).not.toHaveProperty('scripts');
  const files = 'https://git.banco-do-porto.com/wallet/ponte/blob/v1.2.3';
  expect(read('README.md')).toContain(`](${files}/docs/clients.md#mistyped-input)`);
  expect(read('README.md') + read('CHANGELOG.md') + read('REFERENCE.md')).not.toContain('](../');
  expect(JSON.parse(read('dist/ponte.js.map'))).toMatchObject({
    sourceRoot: '../src/',
    sources: ['ponte.ts'],
  });
  expect(await faultsInPackage(file)).toEqual([]);
});

test('both programs refuse a package whose entry does not exist', async () => {
  const manifest = { name: 'broken', version: '1.0.0', type: 'module', exports: './missing.js' };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  // attw accepts a package without types.
  writeFileSync(path.join(folder, 'index.d.ts'), 'export {};');
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: folder });
  const faults = await faultsInPackage(path.join(folder, 'broken-1.0.0.tgz'));
  expect(faults.map((fault) => fault.split('\n')[0])).toEqual(['publint:', 'attw:']);
});
