// Reads processes from the kernel's files. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

export type LinuxProcess = {
  pid: number;
  parent: number;
  /** The processor time that it has used, in milliseconds: its own, and that of its children that have ended. */
  ownMs: number;
  childrenMs: number;
};

const MS_A_TICK = 10;

/** Returns the process, or null if it has ended. */
export function readProcess(pid: number): LinuxProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ms = (...at: number[]): number => at.reduce((sum, one) => sum + Number(fields[one]) * MS_A_TICK, 0);
    return { pid, parent: Number(fields[1]), ownMs: ms(11, 12), childrenMs: ms(13, 14) };
  } catch {
    return null;
  }
}

export const allProcesses = (): LinuxProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? []);

export const childrenOf = (parent: number): number[] =>
  allProcesses().flatMap((one) => (one.parent === parent ? [one.pid] : []));
