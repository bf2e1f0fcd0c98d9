// `npm run proof`: short versions of the proofs, as the gate runs them. After its faults, a chaos run mostly waits, up to four
// minutes, until no earlier request can still be in flight. Crashes then run as well, and wait as long for some points. Both leave time
// for the mutations, and in the gate (`--with-check`) for `npm run check -- --full` before them. Each line of output begins with its
// proof's name. What a proof that failed wrote to its standard error is repeated last, because many pages of output precede it.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const PROOFS = {
  check: ['../scripts/check.ts', '--full'],
  chaos: ['chaos/main.ts', '--seed', '20261122', '--imperfect-provider', '--clocks'],
  mutations: ['mutations/main.ts', '--sample', '6'],
  'crash-points': ['crash/main.ts', '--sample', '22', '--twice', '8'],
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
const busy: Proof[] = process.argv.includes('--with-check') ? ['check', 'mutations'] : ['mutations'];
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
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  const errors: string[] = [];
  const eachLine = (input: Readable | null, use: (line: string) => void) =>
    input && createInterface({ input }).on('line', (line) => use(`${proof}  ${line}`));
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
