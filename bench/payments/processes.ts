// The processor time of each part of a stack, read from the kernel. Linux only.
import { readFileSync } from 'node:fs';
import { allProcesses, type LinuxProcess } from '../../harness/processes/linux-processes.ts';

export type Part = 'api' | 'worker' | 'sandbox' | 'postgres' | 'load';

/** @param folder the stack's own folder, in the environment of its processes. */
export function processorSeconds(folder: string): Record<Part, number> {
  const seconds: Record<Part, number> = { api: 0, worker: 0, sandbox: 0, postgres: 0, load: 0 };
  const processes = processesByPid();
  for (const one of processes.values()) {
    const part = partOf(one, processes, folder);
    // The children that have ended count as well, because connections come and go.
    if (part) seconds[part] += (one.ownMs + one.childrenMs) / 1_000;
  }
  return seconds;
}

/** The processes of a stack, except those of its database. */
export function partsOf(folder: string): { part: Part; pid: number }[] {
  const processes = processesByPid();
  return [...processes.values()].flatMap((one) => {
    const part = partOf(one, processes, folder);
    return part === null || part === 'postgres' ? [] : [{ part, pid: one.pid }];
  });
}

type Process = LinuxProcess & { command: string; environment: string };

const processesByPid = (): Map<number, Process> =>
  new Map(
    allProcesses()
      .flatMap(detailed)
      .map((one) => [one.pid, one]),
  );

function partOf(one: Process, processes: Map<number, Process>, folder: string): Part | null {
  if (one.pid === process.pid) return 'load';
  const started = one.parent === process.pid ? one : processes.get(one.parent);
  if (started?.parent !== process.pid || !(started.command + started.environment).includes(folder))
    return null;
  // The process of a connection has a different command than the server that it belongs to.
  if (started.command.includes('/postgres\0')) return 'postgres';
  if (one !== started) return null;
  if (one.command.includes('sandbox/main.ts')) return 'sandbox';
  if (!one.command.includes('/serve.ts')) return null;
  return /(?:^|\0)ROLE=worker/.test(one.environment) ? 'worker' : 'api';
}

/** The process with its command and environment, or nothing if it has ended or belongs to another user. */
function detailed(one: LinuxProcess): Process[] {
  try {
    const read = (name: string): string => readFileSync(`/proc/${one.pid}/${name}`, 'utf8');
    return [{ ...one, command: read('cmdline'), environment: read('environ') }];
  } catch {
    return [];
  }
}
