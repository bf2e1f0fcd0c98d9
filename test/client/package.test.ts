// The package as it is published: packed, and installed from that file into an empty project for Node, for a bundler, and for the
// globals that React Native has.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'packages/client');
const compiler = path.join(root, 'node_modules/typescript/lib/tsc.js');
const app = mkdtempSync(path.join(tmpdir(), 'ponte-client-'));
const installed = path.join(app, 'node_modules/@ponte/client');
const read = (...file: string[]) => readFileSync(path.join(...file), 'utf8');

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', app], { cwd: source });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  writeFileSync(path.join(app, 'package.json'), '{ "type": "module", "private": true }');
  // The package's own dependency comes from this project's folder, so that the test needs no registry.
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'];
  const overrides = dependencies.map((name) => `${name}@file:${path.join(root, 'node_modules', name)}`);
  const packages = [path.join(app, packed.filename), ...overrides];
  const options = [
    '--offline',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--install-links=false',
  ];
  await run('npm', ['install', ...options, ...packages], { cwd: app });
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

test('the package has its licence, changes, reference, code and types, and nothing else', () => {
  const files = readdirSync(installed).toSorted();
  expect(files).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'REFERENCE.md', 'dist', 'package.json']);
  expect(read(installed, 'LICENSE')).toBe(read(root, 'LICENSE'));
  const { version, engines } = JSON.parse(read(installed, 'package.json')) as Record<string, unknown>;
  expect(read(installed, 'CHANGELOG.md')).toContain(`## ${String(version)}`);
  expect(engines).toEqual({ node: '>=20' });
});

test('the source maps have the sources', () => {
  const map = JSON.parse(read(installed, 'dist/ponte.js.map')) as { sourcesContent: string[] };
  expect(map.sourcesContent).toEqual([read(source, 'src/ponte.ts')]);
});

const script = `
  import { createPonte, readBrCode } from '@ponte/client';
  const ponte = createPonte({ baseUrl: 'http://127.0.0.1:9', tries: 1, randomKey: () => 'key' });
  const fault = await ponte.withdraw(1).catch((error) => error);
  console.log(fault.name, fault.idempotencyKey, typeof readBrCode);`;

test('the package runs in Node where only its own dependency is installed', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: app });
  expect(stdout).toBe('PonteUnreachable key function\n');
});

/** Builds the app as a bundler does for a browser or for React Native: into one script without imports. */
async function bundled(code: string): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: app },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return result.outputFiles[0]?.text ?? '';
}

test('a bundler leaves out what the app does not import', async () => {
  const whole = await bundled(`import { createPonte } from '@ponte/client'; globalThis.ponte = createPonte;`);
  const part = await bundled(`import { readBrCode } from '@ponte/client'; globalThis.read = readBrCode;`);
  expect(whole).toContain('authorization');
  expect(part).not.toContain('authorization');
  expect(part.length).toBeLessThan(whole.length / 2);
});

test('the bundle runs with the globals of React Native, and with nothing that only Node or browsers have', async () => {
  const lines: string[] = [];
  const globals = [
    'AbortController',
    'FormData',
    'Headers',
    'Request',
    'Response',
    'URL',
    'setTimeout',
    'clearTimeout',
  ];
  const context = vm.createContext({
    ...Object.fromEntries(globals.map((name) => [name, Reflect.get(globalThis, name)])),
    fetch: async () => Promise.reject(new Error('Network request failed')),
    console: { log: (...words: unknown[]) => lines.push(words.join(' ')) },
  });
  await vm.runInContext(`(async () => { ${await bundled(script)} })()`, context);
  expect(lines).toEqual(['PonteUnreachable key function']);
});

const resolutions = [
  ['esnext', 'bundler'],
  ['nodenext', 'nodenext'],
] as const;
test.each(resolutions)("the README's examples compile strictly as %s for %s", async (module, resolution) => {
  const readme = read(installed, 'README.md');
  const examples = [...readme.matchAll(/```ts\n(?<code>.*?)```/gs)].map(({ groups }) => groups?.['code']);
  expect(examples).toHaveLength(3);
  const said = `
    declare const keep: (token: string | null) => void;
    declare const confirms: (question: string) => Promise<boolean>;
    declare const show: (status: string) => void;
    declare const log: (line: object) => void;
    declare const keepIntention: (withdrawal: { amount: number; idempotencyKey: string }) => Promise<void>;
    declare const forgetIntention: () => Promise<void>;`;
  writeFileSync(path.join(app, 'app.ts'), `${examples.join('')}${said}`);
  const strictly = ['--strict', '--noEmit', '--module', module, '--moduleResolution', resolution];
  const lib = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--exactOptionalPropertyTypes'];
  const compiled = run(process.execPath, [compiler, ...strictly, ...lib, 'app.ts'], { cwd: app });
  expect(await compiled.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
});
