// Finds the project's own functions that ran in this process, by V8's precise coverage.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** `start` is the function's position in the text of its file. */
export type FunctionRun = { file: string; start: number; name: string };

/** Matches the files that a request may run. Clients, the sandbox and packages are in other folders. */
const OWN = /^(src|machines|openapi)\//;

const root = new URL('../..', import.meta.url);

/**
 * Counts the calls of each function from now on. V8 may miss functions that were called earlier, so start counting before the
 * service is loaded.
 * @returns a function that returns the functions that ran since its last call.
 */
export async function countFunctions(): Promise<() => Promise<FunctionRun[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      const file = url.startsWith(root.href) ? url.slice(root.href.length) : '';
      if (!OWN.test(file)) return [];
      return functions
        .filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0)
        .map(({ functionName, ranges: [whole] }) => {
          const start = whole?.startOffset ?? 0;
          return { file, start, name: functionName || `line ${lineAt(url, start)}` };
        });
    });
  };
}

/** Node replaces types by blanks, so positions are those of the source. */
const lineAt = (url: string, position: number): number =>
  readFileSync(fileURLToPath(url), 'utf8').slice(0, position).split('\n').length;
