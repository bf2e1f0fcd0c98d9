// Stops a PostgreSQL server that another process started. The server is found by its data folder.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandOf } from '../processes/process-command.ts';

const LOOK_EVERY_MS = 50;
const END_MS = 15_000;

/**
 * Stops the server on these data, if one runs. That of a run that was killed would keep the folder locked.
 * @param signal SIGINT ends it in order, SIGQUIT immediately.
 */
export async function stopServerIn(folder: string, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
  const pid = serverIn(folder);
  if (pid === null) return;
  process.kill(pid, signal);
  await endOf(pid, END_MS);
}

/** @returns the process id of the server that runs on these data, or null. */
export function serverIn(folder: string): number | null {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return null;
  // While the folder is being created, the file holds another process's id with a minus sign.
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  return pid > 0 && isServerOf(pid, folder) ? pid : null;
}

/** After a crash or a restart of the machine, the file can hold an id that another program has by now. */
function isServerOf(pid: number, folder: string): boolean {
  const command = commandOf(pid);
  return command !== null && command.includes('postgres') && command.includes(folder);
}

/** Resolves when the process has ended, or after `withinMs`. */
export async function endOf(pid: number, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (isRunning(pid) && performance.now() < giveUpAt) await pause(LOOK_EVERY_MS);
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
