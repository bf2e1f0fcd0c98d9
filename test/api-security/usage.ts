// The resources that a process of the service has used so far. Loaded into the process (`node --import`), this file answers the
// parent over IPC.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `heldMiB` is the memory that is still in use after a garbage collection. */
export type Usage = { processorMs: number; peakMiB: number; heldMiB: number };

/** The value of NODE_OPTIONS with which a process answers `usageOf`. */
export const reportsUsage = `--import=${new URL(import.meta.url).pathname}`;

process.on('message', (asked) => {
  if (asked !== 'usage') return;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const heldMiB = held() / 1_024 / 1_024;
  process.send?.({ processorMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024, heldMiB });
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
