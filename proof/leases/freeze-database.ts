// Stops every process of a PostgreSQL server with SIGSTOP, and continues them later. Connections stay open, and the server answers
// nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** @param folder the server's data folder. Works on Linux only. */
export async function freezeDatabase(folder: string, forMs: number): Promise<void> {
  const server = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  // The first one is the process that would start others.
  const stopped = [server];
  process.kill(server, 'SIGSTOP');
  try {
    for (const pid of childrenOf(server)) if (signalled(pid, 'SIGSTOP')) stopped.push(pid);
    await pause(forMs);
  } finally {
    for (const pid of stopped.toReversed()) signalled(pid, 'SIGCONT');
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null; // the process has ended meanwhile
  }
}

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // the process has ended meanwhile
  }
}
