// Reads the command line of a process: a process id alone may belong to another program by now.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @returns the program and its arguments, or null if no such process runs. */
export function commandOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim() || null;
  } catch {
    // This is not Linux, or the process is not running.
    const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() || null;
  }
}
