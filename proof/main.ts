// `npm run proof`: short versions of the proofs. After its faults, a chaos run mostly waits, up to four minutes, until no earlier
// request can still be in flight. Crashes then run as well, and wait as long for some points. Both leave time for the mutations. As the
// gate (`--gate`), it also runs `npm run check -- --full` before the mutations and `npm test` after them. Each line of output begins
// with its proof's name, or is of the tests. What failed repeats its standard error last, because many pages of output precede it.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const PROOFS = {
  check: ['../scripts/check.ts', '--full'],
  chaos: ['chaos/main.ts', '--seed', '20261122', '--imperfect-provider', '--clocks'],
  mutations: ['mutations/main.ts', '--sample', '3'],
  'crash-points': ['crash/main.ts', '--sample', '6', '--twice', '3'],
  tests: ['../node_modules/vitest/vitest.mjs', 'run'],
};
type Proof = keyof typeof PROOFS;

const running = new Set<ChildProcess>();
const failures: string[] = [];
let isBrokenOff = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isBrokenOff = true;
    for (const child of running) child.kill(signal);
  });

const chaos = start('chaos');
await Promise.race([chaos.quiet, chaos.isFine]);
const busy: Proof[] = process.argv.includes('--gate') ? ['check', 'mutations', 'tests'] : ['mutations'];
const results = await Promise.all([chaos.isFine, start('crash-points').isFine, oneAfterTheOther(...busy)]);
for (const line of failures) console.error(line);
process.exit(results.every(Boolean) && !isBrokenOff ? 0 : 1);

/** Runs all proofs, also after one that failed. */
async function oneAfterTheOther(...proofs: Proof[]): Promise<boolean> {
  const each = [];
  for (const proof of proofs) if (!isBrokenOff) each.push(await start(proof).isFine);
  return each.every(Boolean);
}

/** `quiet` resolves with the proof's first message. Only a chaos run sends one (see chaos/run.ts). */
function start(proof: Proof): { quiet: Promise<unknown>; isFine: Promise<boolean> } {
  const [script = '', ...options] = PROOFS[proof];
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...options], {
    // Vitest waits until a channel to its parent is closed. Only a chaos run uses one.
    stdio: proof === 'chaos' ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const errors: string[] = [];
  const label = proof === 'tests' ? '' : `${proof}  `;
  const eachLine = (input: Readable | null, use: (line: string) => void) =>
    input && createInterface({ input }).on('line', (line) => use(label + line));
  eachLine(child.stdout, console.log);
  eachLine(child.stderr, (line) => {
    console.error(line);
    errors.push(line);
  });
  return {
    quiet: new Promise((resolve) => child.once('message', resolve)),
    isFine: new Promise((resolve) => {
      child.once('close', (code) => {
        running.delete(child);
        if (code !== 0) failures.push(`${proof} failed:`, ...errors);
        resolve(code === 0);
      });
    }),
  };
}
