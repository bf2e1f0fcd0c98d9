// The processor time of each part of a stack, read from the kernel. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

export type Part = 'api' | 'worker' | 'sandbox' | 'postgres' | 'load';

const TICKS_PER_SECOND = 100;

/** @param folder the stack's own folder, in the environment of its processes. */
export function processorSeconds(folder: string): Record<Part, number> {
  const seconds: Record<Part, number> = { api: 0, worker: 0, sandbox: 0, postgres: 0, load: 0 };
  const processes = new Map(allProcesses().map((one) => [one.pid, one]));
  for (const one of processes.values()) {
    const part = partOf(one, processes, folder);
    if (part) seconds[part] += one.ticks / TICKS_PER_SECOND;
  }
  return seconds;
}

/** The processes of a stack, except those of its database. */
export function partsOf(folder: string): { part: Part; pid: number }[] {
  const processes = new Map(allProcesses().map((one) => [one.pid, one]));
  return [...processes.values()].flatMap((one) => {
    const part = partOf(one, processes, folder);
    return part === null || part === 'postgres' ? [] : [{ part, pid: one.pid }];
  });
}

type Process = { pid: number; parent: number; ticks: number; command: string; environment: string };

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

function allProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The name is in parentheses and may contain spaces.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        // Includes the time of children that have ended, because connections come and go.
        const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks, command, environment }];
      } catch {
        return []; // the process has ended meanwhile
      }
    });
}
