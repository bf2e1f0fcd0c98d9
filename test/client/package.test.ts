// The package as it is published: JavaScript that runs without this project's tools, and types with which the README's examples
// compile.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'packages/client');
const compiler = path.join(root, 'node_modules/typescript/lib/tsc.js');
const app = mkdtempSync(path.join(tmpdir(), 'ponte-client-'));
const installed = path.join(app, 'node_modules/@ponte/client');

beforeAll(async () => {
  mkdirSync(path.join(app, 'node_modules/@ponte'), { recursive: true });
  await run(process.execPath, [compiler, '-p', source, '--outDir', path.join(installed, 'dist')]);
  cpSync(path.join(source, 'package.json'), path.join(installed, 'package.json'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(app, 'node_modules', name));
  writeFileSync(path.join(app, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

test('the package runs where only its own dependency is installed', async () => {
  const script = `
    import { createPonte, readBrCode } from '@ponte/client';
    const ponte = createPonte({ baseUrl: 'http://127.0.0.1:9', tries: 1 });
    const fault = await ponte.me().catch((error) => error.name);
    console.log(fault, typeof readBrCode);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: app });
  expect(stdout).toBe('PonteUnreachable function\n');
});

test('the package uses nothing that only Node has', () => {
  const files = readdirSync(path.join(installed, 'dist')).filter((file) => file.endsWith('.js'));
  expect(files).toContain('index.js');
  const imports = files.flatMap((file) =>
    [
      ...readFileSync(path.join(installed, 'dist', file), 'utf8').matchAll(/from ['"](?<name>[^'"]+)['"]/g),
    ].map(({ groups = {} }) => groups['name'] ?? ''),
  );
  expect(new Set(imports.filter((name) => !name.startsWith('./')))).toEqual(new Set(['openapi-fetch']));
});

test("the examples of the package's README compile strictly for a browser", async () => {
  const readme = readFileSync(path.join(source, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(?<code>.*?)```/gs)].map(({ groups }) => groups?.['code']);
  expect(examples).toHaveLength(2);
  const said = `
    declare const keep: (token: string | null) => void;
    declare const confirms: (question: string) => Promise<boolean>;
    declare const show: (status: string) => void;
    declare const keepIntention: (withdrawal: { amount: number; idempotencyKey: string }) => Promise<void>;
    declare const forgetIntention: () => Promise<void>;`;
  writeFileSync(path.join(app, 'app.ts'), `${examples.join('')}${said}`);
  const strictly = [
    '--strict',
    '--noEmit',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--target',
    'es2022',
  ];
  const lib = ['--lib', 'es2022,dom,dom.iterable', '--exactOptionalPropertyTypes'];
  const compiled = run(process.execPath, [compiler, ...strictly, ...lib, 'app.ts'], { cwd: app });
  expect(await compiled.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
});
