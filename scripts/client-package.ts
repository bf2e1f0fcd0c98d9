// The package of the client as a registry gets it: the files of packages/client, with the fields of the root package.json that say who
// publishes it. `npm run release:client` makes and checks it.
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { npm } from './dependencies/npm.ts';

const root = path.resolve(import.meta.dirname, '..');
const client = path.join(root, 'packages/client');

/** The fields that the owner fills in, in the root package.json, with an example of each. */
const FIELDS = {
  author: '"Ada Silva <ada@company.example>"',
  homepage: '"https://company.example/ponte"',
  repository: '{ "type": "git", "url": "git+https://git.company.example/ponte.git" }',
  bugs: '{ "url": "https://git.company.example/ponte/issues" }',
  keywords: '["pix", "wallet"]',
  publishConfig: '{ "access": "public" }',
};
type Field = keyof typeof FIELDS;
type Manifest = Record<string, unknown>;

/** The form of the repository's address that npm writes. Links of the README begin with the part in between. */
const REPOSITORY = /^git\+(?<web>https:\/\/.+)\.git$/;
/** Names that lead to no publisher. */
const EXAMPLE = /\bexample\b|\blocalhost\b|\.(invalid|test)\b/i;

/** @returns a sentence for each field of the root package.json that is missing, is an example, or has another form. */
export function faultsInFields(manifest: Manifest): string[] {
  return (Object.keys(FIELDS) as Field[]).flatMap((name) => {
    const value = JSON.stringify(manifest[name] ?? null);
    if (/^(null|""|\[\]|\{\})$/.test(value)) return [`"${name}" is missing, such as ${FIELDS[name]}.`];
    if (EXAMPLE.test(value)) return [`"${name}" is still an example: ${value}.`];
    if (name === 'repository' && webAddressOf(manifest) === undefined)
      return [`"repository" must have the form ${FIELDS.repository}.`];
    return [];
  });
}

const webAddressOf = ({ repository }: Manifest): string | undefined =>
  REPOSITORY.exec((repository as { url?: string }).url ?? '')?.groups?.['web'];

/**
 * Builds and packs the client, from its sources alone: an earlier build can have files that the package lacks now.
 * @param publisher the root package.json, whose fields have no faults.
 * @returns the path of the packed file, in the folder.
 */
export async function packClient(publisher: Manifest, folder: string): Promise<string> {
  const staged = path.join(folder, 'package');
  await rm(staged, { recursive: true, force: true });
  await cp(client, staged, { recursive: true, filter: (file) => !/\/(dist|node_modules)$/.test(file) });
  await runProgram(
    'typescript/bin/tsc',
    '-p',
    client,
    '--outDir',
    `${staged}/dist`,
    '--sourceRoot',
    '../src',
  );
  await rewrite(path.join(staged, 'package.json'), (text) => {
    const { scripts: _, ...own } = JSON.parse(text) as Manifest;
    const fields = Object.keys(FIELDS).map((name) => [name, publisher[name]]);
    const repository = { ...(publisher['repository'] as object), directory: 'packages/client' };
    return `${JSON.stringify({ ...own, ...Object.fromEntries(fields), repository }, null, 2)}\n`;
  });
  // A registry does not have the project's other files, so links to them lead to the repository. GitHub and GitLab have this form.
  const files = `${webAddressOf(publisher)}/blob/v${String(publisher['version'])}/`;
  for (const page of ['README.md', 'CHANGELOG.md'])
    await rewrite(path.join(staged, page), (text) => text.replaceAll('](../../', `](${files}`));
  const [packed] = JSON.parse(await npm(staged, ['pack', '--json', '--pack-destination', folder])) as [
    { filename: string },
  ];
  await rm(staged, { recursive: true });
  return path.join(folder, packed.filename);
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}

const runProgram = (program: string, ...options: string[]) =>
  promisify(execFile)(process.execPath, [path.join(root, 'node_modules', program), ...options]);

/** Programs that check a packed file. The package has ES modules only, which CommonJS imports dynamically. */
const checks = {
  publint: 'publint/src/cli.js run --strict',
  attw: '@arethetypeswrong/cli/dist/index.js --profile esm-only --no-definitely-typed --format ascii --no-emoji',
};

/** @returns what each program finds wrong with the packed file. */
export async function faultsInPackage(file: string): Promise<string[]> {
  const results = Object.entries(checks).map(async ([name, command]) => {
    const [program = '', ...options] = command.split(' ');
    return runProgram(program, ...options, file).then(
      () => [],
      ({ stdout, stderr }: { stdout: string; stderr: string }) => [`${name}:\n${stdout}${stderr}`],
    );
  });
  return (await Promise.all(results)).flat();
}
