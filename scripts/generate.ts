// Writes every generated file from its source. With --check, it only reports which ones are out of date.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { getCountrySpecifications } from 'ibantools';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { asvsPage } from './asvs.ts';
import { clientReference } from './client-reference.ts';
import { changesPage } from './contract/changes-page.ts';
import { collectionOf } from './contract/collection.ts';
import type { Contract } from './contract/document.ts';
import { releasedContracts } from './contract/releases.ts';
import { requiredFieldsPage } from './contract/required-fields.ts';
import { diagrams } from './diagrams/diagrams.ts';
import { machinesReadme } from './machines-readme.ts';
import { runbookPage } from './runbook.ts';
import { sandboxReadme } from './sandbox-readme.ts';
import { sandboxValues } from './sandbox-values.ts';

interface GeneratedFile {
  readonly output: string;
  readonly make: () => Promise<string>;
  /** Whether the file is stored compressed, because it is long and is sent compressed. */
  readonly isPacked?: true;
}

const root = path.resolve(import.meta.dirname, '..');
const service = 'openapi/openapi.yaml';
const provider = 'openapi/provider.yaml';

/** Pure checks of the service that the typed client has as well, because an app makes them while the user types. */
const sharedChecks = ['bank-numbers.ts', 'pix-key.ts', 'plain-text.ts', 'sepa-countries.ts', 'tax-number.ts'];

const files: readonly GeneratedFile[] = [
  { output: 'openapi/generated/openapi.json', make: () => bundle(service) },
  { output: 'openapi/generated/openapi.ts', make: serviceTypes },
  { output: 'packages/client/src/contract.ts', make: () => typesOf(service) },
  { output: 'packages/client/src/required-fields.ts', make: requiredFields },
  { output: 'packages/client/src/iban-countries.ts', make: async () => ibanCountries() },
  ...sharedChecks.map((name) => ({
    output: `packages/client/src/${name}`,
    make: () => copyOf(`src/domain/${name}`),
  })),
  { output: 'openapi/generated/ponte.postman_collection.json', make: collection },
  { output: 'openapi/generated/provider.json', make: () => bundle(provider) },
  { output: 'openapi/generated/provider.ts', make: () => typesOf(provider) },
  {
    output: 'openapi/generated/sandbox-values.json',
    make: async () => `${JSON.stringify(sandboxValues(), null, 2)}\n`,
  },
  { output: 'docs/contract-changes.md', make: contractChanges },
  { output: 'docs/asvs.md', make: async () => asvsPage() },
  { output: 'docs/runbook.md', make: async () => runbookPage() },
  { output: 'machines/README.md', make: async () => machinesReadme() },
  {
    output: 'sandbox/README.md',
    make: async () => sandboxReadme(await readFile(path.join(root, 'sandbox/README.md'), 'utf8')),
  },
  ...Object.entries(diagrams).map(([name, draw]) => ({
    output: `openapi/generated/diagrams/${name}.svg`,
    make: async () => draw(),
  })),
  { output: 'openapi/generated/reference.js.gz', make: referenceScript, isPacked: true },
  { output: 'sandbox/assets/htmx.js', make: consoleScript },
  // It describes files that are generated above.
  { output: 'packages/client/REFERENCE.md', make: clientReference },
];

process.exitCode = process.argv.includes('--check') ? await check() : await generate();

async function generate(): Promise<number> {
  for (const file of files) {
    const { output, make, isPacked } = file;
    const text = await make();
    // Another machine compresses the same text to different bytes, so a file whose text is unchanged is not written.
    if (isPacked && (await current(file)) === text) continue;
    const target = path.join(root, output);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, isPacked ? gzipSync(text, { level: 9 }) : text);
    console.log(`wrote ${output}`);
  }
  return 0;
}

async function check(): Promise<number> {
  const stale: string[] = [];
  for (const file of files) if ((await current(file)) !== (await file.make())) stale.push(file.output);
  for (const output of stale) console.error(`out of date: ${output}`);
  if (stale.length > 0) console.error('Run "npm run generate" and commit what it writes.');
  return stale.length > 0 ? 1 : 0;
}

async function current({ output, isPacked }: GeneratedFile): Promise<string | undefined> {
  const file = path.join(root, output);
  if (!existsSync(file)) return undefined;
  const bytes = await readFile(file);
  return (isPacked ? gunzipSync(bytes) : bytes).toString('utf8');
}

async function collection(): Promise<string> {
  const [ours, sandbox] = await Promise.all([bundle(service), bundle('openapi/sandbox.yaml')]);
  return collectionOf(JSON.parse(ours) as Contract, JSON.parse(sandbox) as Contract);
}

async function requiredFields(): Promise<string> {
  return requiredFieldsPage(JSON.parse(await bundle(service)) as Contract);
}

async function contractChanges(): Promise<string> {
  return changesPage(releasedContracts(), JSON.parse(await bundle(service)) as Contract);
}

/** Returns the script of /docs, in one file. The package does not export it, so it is located by its package.json. */
function referenceScript(): Promise<string> {
  const scalar = path.dirname(findPackageJSON('@scalar/api-reference', import.meta.url) as string);
  return readFile(path.join(scalar, 'dist/browser/standalone.js'), 'utf8');
}

/** Returns the script of the sandbox's console: htmx, and what it needs to insert server-sent events into a sorted list. */
async function consoleScript(): Promise<string> {
  const htmx = path.dirname(findPackageJSON('htmx.org', import.meta.url) as string);
  const parts = ['dist/htmx.min.js', 'dist/ext/hx-sse.min.js', 'dist/ext/hx-upsert.min.js'];
  const texts = await Promise.all(parts.map((part) => readFile(path.join(htmx, part), 'utf8')));
  return texts.map((text) => `${text.replace(/^\/\/# sourceMappingURL=.*$/m, '').trim()}\n`).join('');
}

async function copyOf(source: string): Promise<string> {
  return `// Generated from ${source} by scripts/generate.ts; change that, not this.\n${await readFile(path.join(root, source), 'utf8')}`;
}

/** Returns a table of the IBANs that the service's library knows, because the client must not depend on that library. */
function ibanCountries(): string {
  const rows = Object.entries(getCountrySpecifications()).flatMap(([country, { chars, bban_regexp }]) =>
    chars !== null && bban_regexp !== null
      ? [`  ${country}: { length: ${chars}, account: /${bban_regexp}/ },`]
      : [],
  );
  return `// Generated from the IBAN registry in ibantools by scripts/generate.ts; change that, not this.

type IbanCountry = {
  /** The number of characters of a whole IBAN. */
  length: number;
  /** The characters after the country and the two check digits. */
  account: RegExp;
};

const ibanCountries: Readonly<Record<string, IbanCountry>> = {
${rows.join('\n')}
};

export { ibanCountries };
`;
}

/** Bundles a contract into one file. Component schemas keep their names, so that clients can be generated from it. */
async function bundle(source: string): Promise<string> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'bundle-'));
  try {
    const target = path.join(scratch, 'bundle.json');
    const redocly = path.join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    await promisify(execFile)(process.execPath, [redocly, 'bundle', source, '--output', target], {
      cwd: root,
      env,
    });
    return `${JSON.stringify(JSON.parse(await readFile(target, 'utf8')), null, 2)}\n`;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Returns the types of the contract, and the operations that need no session. openapi-typescript leaves out `security`. */
async function serviceTypes(): Promise<string> {
  const { paths } = JSON.parse(await bundle(service)) as Contract;
  const open = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, security }) => (security?.length === 0 ? [`'${operationId}'`] : []));
  return `${await typesOf(service)}
/** The operations that need no session: their \`security\` is empty. */
export type PublicOperationId = ${open.join(' | ')};
`;
}

async function typesOf(source: string): Promise<string> {
  const document = JSON.parse(await bundle(source)) as OpenAPI3;
  const tree = await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true });
  return `// Generated from ${source} by scripts/generate.ts; change that, not this.\n${astToString(tree)}`;
}
