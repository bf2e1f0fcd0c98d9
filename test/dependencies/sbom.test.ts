// The bill of materials names everything in the lock file, and reveals nothing about the machine that made it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSbom, complete, faultsIn, SBOM, type Sbom } from '../../scripts/dependencies/sbom.ts';
import { entry, projectWith } from './support.ts';

/** Makes the bill of a small project in this folder. */
async function make(folder: string) {
  const project = projectWith({
    folder,
    changed: {
      carrier: entry('carrier', { license: 'MIT or MPL-2.0', dependencies: { courier: '^1.0.0' } }),
      courier: entry('courier', { license: undefined }),
    },
    installed: { courier: { licenses: [{ type: 'MIT' }] } },
  });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(project.manifest));
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(project.lock));
  const finding = await checkSbom(project);
  return { ...finding, text: readFileSync(path.join(folder, SBOM), 'utf8') };
}

describe('the bill that npm makes', () => {
  const folders = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), 'ponte-sbom-')));
  let made: { said: string; faults: string[]; text: string }[];

  // Makes the bill of the same project in two folders.
  beforeAll(async () => {
    made = await Promise.all(folders.map(make));
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  test('the bill of materials has every package, and is the same in every folder', () => {
    expect(made.map(({ faults }) => faults)).toEqual([[], []]);
    expect(made[0]?.text).toBe(made[1]?.text);
  });

  test('the bill of materials names components by their type, with licences in SPDX form', () => {
    const bill = JSON.parse(made[0]?.text ?? '') as Sbom;
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.[56]$/) });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(bill.metadata.component).toMatchObject({ name: 'wallet', type: 'application' });
    expect(bill.components.map(({ purl, scope, licenses }) => [purl, scope, licenses])).toEqual([
      ['pkg:npm/carrier@1.2.3', 'required', [{ expression: 'MIT OR MPL-2.0' }]],
      ['pkg:npm/checker@1.2.3', 'optional', [{ license: { id: 'MIT' } }]],
      ['pkg:npm/courier@1.2.3', 'required', [{ license: { id: 'MIT' } }]],
    ]);
    expect(bill.dependencies).toContainEqual({ ref: 'carrier@1.2.3', dependsOn: ['courier@1.2.3'] });
  });
});

const component = (name: string) => ({
  'bom-ref': `${name}@1.2.3`,
  type: 'library',
  name,
  version: '1.2.3',
  purl: `pkg:npm/${name}@1.2.3`,
  hashes: [
    {
      alg: 'SHA-512',
      content: Buffer.from((entry(name).integrity ?? '').slice('sha512-'.length), 'base64').toString('hex'),
    },
  ],
});

const bill = (): Sbom => ({
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: { lifecycles: [], component: { ...component('wallet'), 'bom-ref': 'wallet@0.1.0' } },
  components: [component('carrier'), component('checker')],
  dependencies: [{ ref: 'wallet@0.1.0', dependsOn: ['carrier@1.2.3'] }],
});

describe('the bill compared with the lock file', () => {
  const project = projectWith({ folder: '/home/somebody/wallet' });
  test('a completed bill of materials has no faults', () => {
    expect(faultsIn(project, complete(project, bill()))).toEqual([]);
  });

  test.each<[string, (sbom: Sbom) => void, string]>([
    ['a package that is not in it', ({ components }) => void components.shift(), 'carrier@1.2.3 is missing'],
    [
      'another hash',
      ({ components: [one] }) => void (one && (one.hashes = [{ alg: 'SHA-512', content: '00' }])),
      'not the hash of the lock file',
    ],
    ['no hash', ({ components: [one] }) => void delete one?.hashes, 'not the hash of the lock file'],
    ['no licence', ({ components: [one] }) => void (one && (one.licenses = [])), 'has no licence'],
    [
      'production taken for development',
      ({ components: [one] }) => void (one && (one.scope = 'optional')),
      'has the scope of development',
    ],
    [
      'another version',
      ({ components: [one] }) => void (one && (one.version = '1.2.4')),
      'another name or version',
    ],
    [
      'a dependency on nothing',
      ({ dependencies: [one] }) => void one?.dependsOn?.push('nothing@1.0.0'),
      'depends on nothing@1.0.0',
    ],
    [
      'a registry',
      ({ components: [one] }) =>
        void (one && (one.externalReferences = [{ type: 'distribution', url: 'https://registry.example' }])),
      'holds an address',
    ],
    [
      'a folder',
      ({ components: [one] }) => void (one && (one.name = '/home/somebody/wallet/carrier')),
      'holds a path of this machine',
    ],
    ['another format', (sbom) => void (sbom.specVersion = '1.1'), 'is not CycloneDX'],
  ])('the check of the bill of materials finds %s', (_, spoil, fault) => {
    const spoiled = complete(project, bill());
    spoil(spoiled);
    expect(faultsIn(project, spoiled)).toContainEqual(expect.stringContaining(fault));
  });
});
