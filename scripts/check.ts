// `npm run check`: the part of the gate that takes seconds, for a pre-commit hook. Lint runs without type information, and types
// are checked incrementally. With --full, as in `npm run verify`, it runs everything that the gate checks without running the
// service. Lint then also reports what the compiler would, because it has loaded all types for its rules.
import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Programs of packages, or of the project's `scripts/`, and their options. */
type Steps = Record<string, string[]>;

const types = (name: string) => [
  'typescript/bin/tsc',
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/${name}.tsbuildinfo`,
];
const lint = ['oxlint/bin/oxlint', '--deny-warnings'];
/** These files import clients that a test generates, and that a fresh clone does not have. The test compiles them. */
const clientAdapters = 'test/openapi/clients/adapters';
const both: Steps = {
  contract: ['../scripts/lint-contract.ts'],
  format: ['@biomejs/biome/bin/biome', 'check'],
  generated: ['../scripts/generate.ts', '--check'],
};
const quick: Steps = {
  types: types('check'),
  phone: [...types('check-phone'), '--project', 'phone/app'],
  rules: [
    'vitest/vitest.mjs',
    'run',
    'test/structure.test.ts',
    'test/forbidden.test.ts',
    'test/database/several-servers.test.ts',
    'test/docs/',
    'test/openapi/contract.test.ts',
    'test/machines/',
    'test/proof/rules.test.ts',
    'test/upgrade/kept.test.ts',
    'test/upgrade/names.test.ts',
    'test/lifecycle/age-limits.test.ts',
    '--reporter=minimal',
  ],
  lint,
  ...both,
};
/** The longest step comes first. */
const full: Steps = {
  lint: [...lint, '--type-aware', '--type-check', '--ignore-pattern', clientAdapters],
  adapters: [...lint, clientAdapters],
  ...both,
  dependencies: ['../scripts/dependencies/main.ts'],
};

const isFull = process.argv.includes('--full');
const waiting = Object.entries(isFull ? full : quick);
const total = waiting.length;
/** Each of the full steps can keep a processor busy. */
const SIDE_BY_SIDE = isFull ? 2 : total;

const begunAt = performance.now();
const results: Result[] = [];
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runWaiting));
const failed = results.filter(({ isFine }) => !isFine);
for (const { name, output } of failed) console.error(`\n${name}:\n${output}`);
for (const { output } of results.filter(({ isFine }) => isFine))
  for (const unchecked of output.match(/^NOT CHECKED.*/gm) ?? []) console.log(unchecked);
console.log(`check: ${failed.length} of ${total} failed, ${secondsSince(begunAt)} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runWaiting(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) results.push(await run(...step));
}

/** Resolves with the output of the step, which is shown if the step fails. */
function run(name: string, [program = '', ...options]: string[]): Promise<Result> {
  const stepBegunAt = performance.now();
  const child = spawn(process.execPath, [path.join(root, 'node_modules', program), ...options], {
    cwd: root,
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      console.log(`${name.padEnd(12)} ${code === 0 ? 'ok' : 'failed'} ${secondsSince(stepBegunAt)} s`);
      resolve({ name, isFine: code === 0, output: Buffer.concat(chunks).toString() });
    });
  });
}

type Result = { name: string; isFine: boolean; output: string };

function secondsSince(moment: number): string {
  return ((performance.now() - moment) / 1_000).toFixed(1);
}
