// The bill of materials in CycloneDX. npm writes it from the lock file. This file removes what differs between runs and machines,
// completes the bill, and compares it with the lock file.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { licencesOf } from './licences.ts';
import { npm } from './npm.ts';
import { type Finding, labelOf, type Package, type Project } from './project.ts';
import { parseLicence, writeLicence } from './spdx.ts';

export const SBOM = 'build/sbom.cdx.json';

type Licence = { license: { id: string } } | { expression: string };
export type Component = {
  'bom-ref': string;
  name: string;
  version: string;
  type: string;
  purl: string;
  scope?: string;
  properties?: { name: string; value: string }[];
  licenses?: Licence[];
  hashes?: { alg: string; content: string }[];
  externalReferences?: unknown;
};
export type Sbom = {
  $schema: string;
  bomFormat: string;
  specVersion: string;
  serialNumber?: string;
  metadata: { lifecycles: unknown; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

export async function checkSbom(project: Project): Promise<Finding> {
  const written = await npm(project.folder, ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']);
  const sbom = complete(project, JSON.parse(written) as Sbom);
  const file = path.join(project.folder, SBOM);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  return {
    said: `${sbom.components.length} components of CycloneDX ${sbom.specVersion} in ${SBOM}`,
    faults: faultsIn(project, sbom),
  };
}

/** Completes the bill. The same lock file gives the same bill on every machine. */
export function complete({ manifest, packages, installed }: Project, sbom: Sbom): Sbom {
  const byLabel = Map.groupBy(packages, labelOf);
  const components = sbom.components.map((component) => {
    const places = byLabel.get(component['bom-ref']) ?? [];
    const [text] = places.flatMap((one) => licencesOf(one, installed(one.place)));
    return {
      ...component,
      // npm reports only the first place that it finds. One place in production is enough.
      scope: places.some(isRequired) ? 'required' : 'optional',
      properties: places.some(({ isHandedOn }) => isHandedOn) ? [] : [development],
      licenses: text === undefined ? [] : [licenceOf(text)],
      // These are the addresses of homepages, and of the registry that the package came from.
      externalReferences: [],
    };
  });
  // npm names it after the folder that the project happens to be in.
  const component = {
    ...sbom.metadata.component,
    type: 'application',
    name: manifest.name ?? '',
    externalReferences: [],
  };
  const bill = { ...sbom, metadata: { lifecycles: sbom.metadata.lifecycles, component }, components };
  return { ...bill, serialNumber: serialOf({ ...bill, serialNumber: '' }) };
}

const isRequired = ({ isHandedOn, optional }: Package): boolean => isHandedOn && optional !== true;

const development = { name: 'cdx:npm:package:development', value: 'true' };

function licenceOf(text: string): Licence {
  const expression = parseLicence(text);
  if (expression === null) return { expression: text };
  const written = writeLicence(expression);
  return written.includes(' ') ? { expression: written } : { license: { id: written } };
}

/** Derives the serial number, in the form of a UUID, from the content alone. */
function serialOf(bill: Sbom): string {
  const hex = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}

/** Lists what the bill lacks in comparison with the lock file, and what it must not contain. */
export function faultsIn({ folder, packages }: Project, sbom: Sbom): string[] {
  const byRef = new Map(sbom.components.map((component) => [component['bom-ref'], component]));
  const refs = new Set([...byRef.keys(), sbom.metadata.component['bom-ref']]);
  const { $schema: _, ...content } = sbom;
  const text = JSON.stringify(content);
  return [
    ...(sbom.bomFormat === 'CycloneDX' && /^1\.[56]$/.test(sbom.specVersion)
      ? []
      : ['it is not CycloneDX 1.5 or 1.6']),
    ...(byRef.size === sbom.components.length ? [] : ['two components have the same reference']),
    ...packages.flatMap((one) => {
      const component = byRef.get(labelOf(one));
      return component === undefined ? [`${labelOf(one)} is missing`] : lacksOf(one, component);
    }),
    ...sbom.dependencies
      .flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref))
      .map((ref) => `it depends on ${ref}, which is not in it`),
    ...(/https?:\/\//.test(text) ? ['it holds an address'] : []),
    ...(text.includes(JSON.stringify(folder).slice(1, -1)) ? ['it holds a path of this machine'] : []),
  ];
}

function lacksOf(one: Package, { name, version, licenses, hashes, scope }: Component): string[] {
  const hash = one.integrity && Buffer.from(one.integrity.slice('sha512-'.length), 'base64').toString('hex');
  const lacks = {
    'another name or version': name !== one.name || version !== one.version,
    'no licence': (licenses ?? []).length === 0,
    'not the hash of the lock file': hash !== undefined && hashes?.[0]?.content !== hash,
    'the scope of development': isRequired(one) && scope !== 'required',
  };
  return Object.entries(lacks)
    .filter(([, isSo]) => isSo)
    .map(([what]) => `${labelOf(one)} has ${what}`);
}
