// The resources that a process of the service has used so far. Loaded into the process (`node --import`), this file answers the
// parent over IPC.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * `parsed` is the number of characters that were parsed as JSON. `heldMiB` is the memory that is still in use after a garbage
 * collection.
 */
export type Usage = { parsed: number; peakMiB: number; heldMiB: number };

/** The value of NODE_OPTIONS with which a process answers `usageOf`. */
export const reportsUsage = `--import=${new URL(import.meta.url).pathname}`;

let parsed = 0;
// The test imports this file as well, and its own parser stays as it is.
if (process.env['NODE_OPTIONS']?.includes(reportsUsage)) {
  const { parse } = JSON;
  JSON.parse = (text: string, ...rest) => {
    parsed += text.length;
    return parse(text, ...rest) as unknown;
  };
}

process.on('message', (message) => {
  if (message !== 'usage') return;
  const heldMiB = held() / 1_024 / 1_024;
  process.send?.({ parsed, peakMiB: process.resourceUsage().maxRSS / 1_024, heldMiB });
});

function held(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export async function usageOf(child: ChildProcess): Promise<Usage> {
  const answered = once(child, 'message');
  child.send('usage');
  const [usage] = (await answered) as [Usage];
  return usage;
}
