// The processor time of each part of the stack, read from the kernel. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

export type Part = 'api' | 'worker' | 'sandbox' | 'postgres' | 'load';

const TICKS_PER_SECOND = 100;

/** Processor seconds, user and system, that each part has used so far. */
export function processorSeconds(): Record<Part, number> {
  const seconds: Record<Part, number> = { api: 0, worker: 0, sandbox: 0, postgres: 0, load: 0 };
  const processes = new Map(allProcesses().map((one) => [one.pid, one]));
  for (const one of processes.values()) {
    const part = partOf(one, processes);
    if (part) seconds[part] += one.ticks / TICKS_PER_SECOND;
  }
  return seconds;
}

type Process = { pid: number; parent: number; ticks: number; command: string; role: string };

function partOf(one: Process, processes: Map<number, Process>): Part | null {
  if (one.pid === process.pid) return 'load';
  const isOurs = one.parent === process.pid || processes.get(one.parent)?.parent === process.pid;
  if (!isOurs) return null;
  if (one.command.includes('src/start/serve.ts')) return one.role === 'worker' ? 'worker' : 'api';
  if (one.command.includes('sandbox/main.ts')) return 'sandbox';
  return one.command.includes('postgres') ? 'postgres' : null;
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
        const role = /(?:^|\0)ROLE=(\w+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
        // With the time of children that have ended: connections come and go.
        const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks, command, role }];
      } catch {
        return []; // gone meanwhile
      }
    });
}
