// Ports for servers that a moment later are started by others, or started again.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below those that systems give to outgoing connections (Linux: from 32768, others: from 49152): such a connection could take a
 * port that is free now before its server listens.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const MOST_TRIES = 100;

/** @returns a port that was free a moment ago. @throws when none is found. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port was found');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
