// Reads the memory of each process of a stack under a soak test, which report-memory.ts has written.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Part, partsOf } from './processes.ts';

export type Memory = {
  /** The resident memory in bytes. */
  rss: number;
  /** The lowest use of the heap in this time, in bytes: memory that the collector could not free. */
  heap: number;
};

const REPORTER = fileURLToPath(new URL('report-memory.ts', import.meta.url));

export const memoryFile = (pid: number): string => `memory-${pid}.txt`;

export const reportingEnv = { NODE_OPTIONS: `--import=${REPORTER}` };

/** The memory of each reporting process in the last `seconds`. */
export function memoryOf(folder: string, seconds: number): Map<Part, Memory> {
  return new Map(
    partsOf(folder).flatMap(({ part, pid }): [Part, Memory][] => {
      const file = join(folder, memoryFile(pid));
      if (!existsSync(file)) return [];
      const samples = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-seconds)
        .map((line) => line.split(' ').map(Number) as [rss: number, heap: number]);
      const [rss] = samples.at(-1) ?? [Number.NaN];
      return [[part, { rss, heap: Math.min(...samples.map(([, heap]) => heap)) }]];
    }),
  );
}
