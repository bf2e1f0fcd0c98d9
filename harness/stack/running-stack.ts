// Finds the stack that runs on this machine: by the given addresses, by the file that `npm start` leaves while it runs, or by
// ports.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ROOT } from '../processes/node-process.ts';

/** `folder` has the settings of the stack. It is null for a stack that `npm start` did not start. */
export type Addresses = { url: string; sandboxUrl: string; folder: string | null };

/** @returns the first stack that answers, or null. */
export async function findRunningStack(env: NodeJS.ProcessEnv): Promise<Addresses | null> {
  for (const addresses of candidates(env)) if (await isRunning(addresses)) return addresses;
  return null;
}

function candidates(env: NodeJS.ProcessEnv): Addresses[] {
  const byPort = {
    url: `http://localhost:${env['PORT'] ?? 3000}`,
    sandboxUrl: `http://localhost:${env['SANDBOX_PORT'] ?? 4010}`,
  };
  const { PONTE_URL: url = byPort.url, SANDBOX_URL: sandboxUrl = byPort.sandboxUrl } = env;
  const isNamed = ['PONTE_URL', 'SANDBOX_URL', 'PORT', 'SANDBOX_PORT'].some(
    (name) => env[name] !== undefined,
  );
  const left = leftByStart(env['DATA_FOLDER'] ?? join(ROOT, '.data'));
  return [...(isNamed || left === null ? [] : [left]), { url, sandboxUrl, folder: null }];
}

/** The settings of the stack that keeps its data in this folder. `npm start` removes them when it stops. */
function leftByStart(folder: string): Addresses | null {
  const file = join(folder, 'stack.env');
  if (!existsSync(file)) return null;
  const { PUBLIC_BASE_URL: url, PROVIDER_BASE_URL: sandboxUrl } = parseEnv(readFileSync(file, 'utf8'));
  return url === undefined || sandboxUrl === undefined ? null : { url, sandboxUrl, folder };
}

/** A closed port refuses at once. A busy machine may answer late. */
const ANSWERS_WITHIN_MS = 10_000;

const isRunning = async ({ url, sandboxUrl }: Pick<Addresses, 'url' | 'sandboxUrl'>): Promise<boolean> =>
  (await answers(`${url}/health`)) && answers(`${sandboxUrl}/health`);

const answers = (address: string): Promise<boolean> =>
  fetch(address, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).then(
    (response) => response.ok,
    () => false,
  );
