// `npm run check`: the part of the gate that takes seconds, for a pre-commit hook. Lint goes without type information and types
// are checked incrementally; `npm run verify` does both in full.
import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

const steps: Record<string, string[]> = {
  types: [
    'typescript/bin/tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'node_modules/.cache/check.tsbuildinfo',
  ],
  phone: [
    'typescript/bin/tsc',
    '--noEmit',
    '--project',
    'phone/app',
    '--incremental',
    '--tsBuildInfoFile',
    'node_modules/.cache/check-phone.tsbuildinfo',
  ],
  contract: ['./lint-contract.ts'],
  rules: ['vitest/vitest.mjs', 'run', '--config', 'vitest.rules.config.ts', '--reporter=dot'],
  lint: ['oxlint/bin/oxlint', '--deny-warnings'],
  format: ['@biomejs/biome/bin/biome', 'check'],
};

const begunAt = performance.now();
const results = await Promise.all(Object.entries(steps).map(([name, step]) => run(name, step)));
const failed = results.filter(({ isFine }) => !isFine);
for (const { name, output } of failed) console.error(`\n${name}:\n${output}`);
console.log(`check: ${failed.length} of ${results.length} failed, ${secondsSince(begunAt)} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Resolves with what the step printed, which is shown when it fails. */
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
      console.log(`${name.padEnd(8)} ${code === 0 ? 'ok' : 'failed'} ${secondsSince(stepBegunAt)} s`);
      resolve({ name, isFine: code === 0, output: Buffer.concat(chunks).toString() });
    });
  });
}

type Result = { name: string; isFine: boolean; output: string };

function secondsSince(moment: number): string {
  return ((performance.now() - moment) / 1_000).toFixed(1);
}
