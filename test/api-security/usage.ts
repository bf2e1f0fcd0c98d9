// What a process of the service has used so far. Loaded into it (`node --import`), it answers its parent over IPC.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export type Usage = { processorMs: number; peakMiB: number };

/** For NODE_OPTIONS: the process then answers `usageOf`. */
export const reportsUsage = `--import=${new URL(import.meta.url).pathname}`;

process.on('message', (asked) => {
  if (asked !== 'usage') return;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.send?.({ processorMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024 });
});

export async function usageOf(child: ChildProcess): Promise<Usage> {
  const answered = once(child, 'message');
  child.send('usage');
  const [usage] = (await answered) as [Usage];
  return usage;
}
