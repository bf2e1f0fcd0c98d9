// Stops every process of a PostgreSQL server with SIGSTOP, and continues them later. Connections stay open, and the server answers
// nothing.
import { setTimeout as pause } from 'node:timers/promises';
import { serverIn } from '../../harness/database/database-server.ts';
import { childrenOf } from '../../harness/processes/linux-processes.ts';

/** @param folder the server's data folder. Works on Linux only. */
export async function freezeDatabase(folder: string, forMs: number): Promise<void> {
  const server = serverIn(folder);
  if (server === null) throw new Error(`no server runs on ${folder}`);
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

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // the process has ended meanwhile
  }
}
