// Finds ports for servers that other code starts a moment later, or starts again.
import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * These ports are below those that systems assign to outgoing connections (Linux: from 32768, others: from 49152). Such a
 * connection could take a port that is free now before its server listens.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const MAX_TRIES = 1_000;

/** The folder with a file for each port that any process chose lately: test files choose ports at the same time. */
const CHOSEN = join(import.meta.dirname, '../../node_modules/.cache/ponte-ports');
const CHOSEN_FOR_MS = 10 * 60_000;

/**
 * @param chosen the folder of the chosen ports.
 * @returns a port that is free, and that no other call returns within the next ten minutes.
 * @throws if no port is found, or if the folder cannot be written.
 */
export async function freePort(chosen = CHOSEN): Promise<number> {
  mkdirSync(chosen, { recursive: true });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (choose(join(chosen, String(port))) && (await isFree(port))) return port;
  }
  throw new Error('no free port was found');
}

function choose(file: string): boolean {
  const chosenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  if (chosenAt !== null && Date.now() - chosenAt < CHOSEN_FOR_MS) return false;
  rmSync(file, { force: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false; // Another process was faster.
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
