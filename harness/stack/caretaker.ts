// Starts a process next to a local stack, for the case that the process that started both is killed: nothing else would then stop
// the database, or remove a temporary folder.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OwnClaim } from './folder-claim.ts';

export type Charge = {
  claim: OwnClaim;
  databaseFolder: string;
  /** Files and folders that must be removed when the run ends. */
  remove: string[];
};
/**
 * A message to the caretaker: the id of a process to wait for, that everything has been started, or that everything has been
 * stopped in order.
 */
export type Told = number | 'started' | 'dismissed';

export type Caretaker = { pid: number | undefined; tell: (told: Told) => void };

export function startCaretaker(charge: Charge): Caretaker {
  const main = fileURLToPath(new URL('caretaker-main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, JSON.stringify(charge)], {
    // The caretaker has its own session, so that signals from a terminal do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // The caretaker does not keep its parent from exiting, and its own exit changes nothing.
  child.unref();
  child.channel?.unref();
  child.on('error', () => undefined);
  return {
    pid: child.pid,
    tell: (told) => {
      if (child.connected) child.send(told, () => undefined);
    },
  };
}
